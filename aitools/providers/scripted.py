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
from typing import ClassVar, Self

from aitools.providers.base import EndpointConfig
from aitools.types import Json, ModelReply, ModelRequest, Stop, ToolRequest

#: Gives a reply for a request, or an exception to raise.
Answering = Callable[[ModelRequest], ModelReply | Exception]
#: A reply, an exception to raise, or a function of the request that gives either.
Line = ModelReply | Exception | Answering
#: Lines in order, each for one request; or one function for all requests.
Lines = Sequence[Line] | Answering


class Script:
    """Replies in order, shared by threads. ``calls`` are the requests received."""

    def __init__(self, lines: Lines) -> None:
        self._all = lines if callable(lines) else None
        self._lines: deque[Line] = deque() if callable(lines) else deque(lines)
        self._lock = threading.Lock()
        self._surplus = 0
        self.calls: list[ModelRequest] = []

    def reply(self, request: ModelRequest) -> ModelReply:
        """The next line for ``request``; ``AssertionError`` when none is left."""
        line = self._next(request)
        said = line if isinstance(line, ModelReply | Exception) else line(request)
        if isinstance(said, Exception):
            raise said
        return said

    def _next(self, request: ModelRequest) -> Line:
        with self._lock:
            self.calls.append(request)
            if self._all is not None:
                return self._all
            if not self._lines:
                self._surplus += 1
                raise AssertionError("The model was asked more often than the script expects.")
            return self._lines.popleft()

    def assert_exhausted(self) -> None:
        """Fail unless every line was asked for, and nothing more."""
        assert not self._lines, f"{len(self._lines)} scripted replies were never asked for."
        assert not self._surplus, f"The model was asked {self._surplus} times too often."


_scripts: dict[str, Script] = {}


@contextmanager
def script(lines: Lines, *, model: str = "") -> Iterator[Script]:
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
    """Says the ``lines`` it is given, else the script of its model, else the general one.

        with ScriptedProvider([asks(("find", {...})), says("Aisle 3.")]) as provider:
            run_tools("Screws?", tools=[find], provider=provider)
        provider.calls  # the requests, in order

    Lines are replies in order, which must all be asked for and no more (see
    ``assert_exhausted``; leaving the ``with`` block without an error asserts
    it), or one callable that answers every request.
    """

    kind: ClassVar[str] = "scripted"

    def __init__(
        self, endpoint: EndpointConfig | Sequence[Line] | Answering | None = None, lines: Lines | None = None
    ) -> None:
        """Settings build it from an endpoint; code gives the lines in its place."""
        given = endpoint if lines is None and not isinstance(endpoint, EndpointConfig) else lines
        self._model = endpoint.model if isinstance(endpoint, EndpointConfig) else ""
        self._own = None if given is None else Script(given)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *fault: object) -> None:
        if kind is None:
            self.assert_exhausted()


def says(text: str, **fields: Json) -> ModelReply:
    """A final answer."""
    return ModelReply(text=text, **fields)


def asks(*calls: tuple[str, Mapping[str, Json]], text: str = "") -> ModelReply:
    """A reply that asks for tools: pairs of name and arguments, in order."""
    requests = tuple(ToolRequest(name, dict(arguments)) for name, arguments in calls)
    return ModelReply(text=text, tool_calls=requests, stop=Stop.TOOL_CALLS)
