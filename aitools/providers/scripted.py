"""A provider that says what a test wrote down, and fails on anything else.

    with scripted.script([asks(("quote_order", {...})), says("Son $7.000.")]) as script:
        ...
    script.calls  # the requests, in order

The engine builds providers from settings, so the script is held here for the
process; a script for one ``model`` lets a test give each endpoint its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar

from aitools.providers.base import EndpointConfig
from aitools.types import Json, ModelReply, ModelRequest, Stop, ToolRequest

#: A reply, an exception to raise, or a function of the request that gives either.
Line = ModelReply | Exception | Callable[[ModelRequest], "ModelReply | Exception"]


class Script:
    """Replies in order, shared by threads. ``calls`` are the requests received."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = deque(lines)
        self._lock = threading.Lock()
        self._surplus = 0
        self.calls: list[ModelRequest] = []

    def reply(self, request: ModelRequest) -> ModelReply:
        """The next line for ``request``; ``AssertionError`` when none is left."""
        with self._lock:
            self.calls.append(request)
            if not self._lines:
                self._surplus += 1
                raise AssertionError("The model was asked more often than the script expects.")
            line = self._lines.popleft()
        said = line if isinstance(line, ModelReply | Exception) else line(request)
        if isinstance(said, Exception):
            raise said
        return said

    def assert_exhausted(self) -> None:
        """Fail unless every line was asked for, and nothing more."""
        assert not self._lines, f"{len(self._lines)} scripted replies were never asked for."
        assert not self._surplus, f"The model was asked {self._surplus} times too often."


_scripts: dict[str, Script] = {}


@contextmanager
def script(lines: Sequence[Line], *, model: str = "") -> Iterator[Script]:
    """Within the block scripted providers (of ``model``, if named) read ``lines``.

    Leaving it without an error asserts that all of them were used.
    """
    replaced = _scripts.get(model)
    _scripts[model] = current = Script(lines)
    try:
        yield current
        current.assert_exhausted()
    finally:
        if replaced is None:
            del _scripts[model]
        else:
            _scripts[model] = replaced


class ScriptedProvider:
    """Reads the script it is given, else the one of its model, else the general one."""

    kind: ClassVar[str] = "scripted"

    def __init__(self, endpoint: EndpointConfig, lines: Sequence[Line] | None = None) -> None:
        self._model = endpoint.model
        self._own = None if lines is None else Script(lines)

    @property
    def script(self) -> Script:
        found = self._own or _scripts.get(self._model) or _scripts.get("")
        if found is None:
            raise AssertionError("A scripted provider was asked outside of any script.")
        return found

    @property
    def calls(self) -> list[ModelRequest]:
        return self.script.calls

    def complete(self, request: ModelRequest) -> ModelReply:
        """The script's next line. Raises what the script says, or ``AssertionError``."""
        return self.script.reply(request)

    def assert_exhausted(self) -> None:
        self.script.assert_exhausted()


def says(text: str, **fields: Json) -> ModelReply:
    """A final answer."""
    return ModelReply(text=text, **fields)


def asks(*calls: tuple[str, Mapping[str, Json]], text: str = "") -> ModelReply:
    """A reply that asks for tools: pairs of name and arguments, in order."""
    requests = tuple(ToolRequest(name, dict(arguments)) for name, arguments in calls)
    return ModelReply(text=text, tool_calls=requests, stop=Stop.TOOL_CALLS)
