"""What a tool's declaration must be. A fault stops the start and names the tool."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise

from aitools import schemas
from aitools.choices import ChoiceSource
from aitools.errors import ConfigurationError

if TYPE_CHECKING:
    from aitools.tools import Tool

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
EFFECTS = ("none", "database", "external")
#: Optional callables of a tool and how many arguments each gets.
CALLABLES = {"handler": 2, "confirm_lines": 2, "fingerprint": 2, "check": 2, "report": 2}


def check(tool: Tool) -> None:
    """Raise ``ConfigurationError`` with the first fault of a declaration."""
    for faults in (_naming, _consent, _numbers, _callables, _words, _lists, _schemas, _labels):
        for fault in faults(tool):
            raise ConfigurationError(f"Tool {tool.name!r}: {fault}.")


def check_together(tools: Iterable[Tool]) -> None:
    """Raise ``ConfigurationError`` with all that shows only once every tool is declared.

    Tools that are not there, and questions under a default title: customers
    would read the model's name for the tool.
    """
    declared = {tool.name: tool for tool in tools}
    faults = [
        f"Tool {tool.name!r}: {fault}."
        for tool in declared.values()
        for fault in (*_strangers(tool, declared), *_untitled(tool))
    ]
    if faults:
        raise ConfigurationError("\n".join(faults))


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many positional arguments; builtins that do not say, can."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _untitled(tool: Tool) -> Iterator[str]:
    if tool.confirm and not _has_title(tool) and tool.confirm_message is None:
        yield f"it asks customers under its default title {tool.shown_title!r}: give it a title or a confirm_message"


def _has_title(tool: Tool) -> bool:
    """A text of blanks is no title; a lazy one is not read before there is a language."""
    return bool(tool.title.strip() if isinstance(tool.title, str) else tool.title)


# From here on nothing is believed of the fields' types: whoever declares may have no checker of types.


def _naming(tool: Any) -> Iterator[str]:
    if not isinstance(tool.name, str) or not NAME.fullmatch(tool.name):
        yield f"the name must match {NAME.pattern}: lower case, digits, underscore"
    if not isinstance(tool.description, str) or not tool.description.strip():
        yield "it needs a description, which tells the model when to use it"
    if not isinstance(tool.title, str | Promise):
        yield "the title must be a text"


def _consent(tool: Any) -> Iterator[str]:
    if not isinstance(tool.confirm, bool):
        yield f"confirm must be True or False, not {tool.confirm!r}"
    if tool.effects not in EFFECTS:
        yield f"effects must be one of {', '.join(EFFECTS)}, not {tool.effects!r}"
    if tool.confirm and tool.effects == "none":
        yield "it asks for a yes but declares no effects"
    if tool.fingerprint is not None and not tool.confirm:
        yield "a fingerprint is what a customer agrees to: it needs confirm"


def _numbers(tool: Any) -> Iterator[str]:
    seconds = isinstance(tool.dedupe, int) and not isinstance(tool.dedupe, bool) and tool.dedupe > 0
    if tool.dedupe is not None and tool.dedupe != "args" and not seconds:
        yield f'dedupe must be "args" or a whole number of seconds above 0, not {tool.dedupe!r}'
    number = isinstance(tool.timeout_s, int | float) and not isinstance(tool.timeout_s, bool)
    if not number or not math.isfinite(tool.timeout_s) or tool.timeout_s < 0:
        yield f"timeout_s must be a number of seconds, 0 for none, not {tool.timeout_s!r}"
    if not isinstance(tool.version, int) or isinstance(tool.version, bool):
        yield "version must be a whole number"


def _callables(tool: Any) -> Iterator[str]:
    for name, count in CALLABLES.items():
        given = getattr(tool, name)
        if given is None and name != "handler":
            continue
        if not callable(given):
            yield f"{name} is not callable"
        elif not takes(given, count):
            yield f"{name} must take the arguments and the context"
        elif name == "handler" and _makes(given, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
            yield "handler must not be a generator: it would never run"
        elif name != "handler":
            yield from _deferred(name, given)


def _deferred(name: str, given: Any) -> Iterator[str]:
    """What is called and read at once can't be a promise to run later."""
    if _makes(given, inspect.iscoroutinefunction, inspect.isasyncgenfunction):
        yield f"{name} must not be async"
    elif name != "confirm_lines" and _makes(given, inspect.isgeneratorfunction):
        yield f"{name} must not be a generator"


def _makes(given: Any, *kinds: Callable[[Any], bool]) -> bool:
    """Whether calling it, a function or an object of one, makes something of these kinds."""
    while isinstance(given, partial):
        given = given.func
    return any(kind(one) for kind in kinds for one in (given, type(given).__call__))


def _words(tool: Any) -> Iterator[str]:
    own = tool.confirm_message
    if callable(own) and not takes(own, 2):
        yield "confirm_message must take the arguments and the context"
    elif own is not None and not callable(own) and not isinstance(own, str | Promise):
        yield "confirm_message must be a text or a callable"
    elif callable(own):
        yield from _deferred("confirm_message", own)
    if own is not None and not tool.confirm:
        yield "a confirm_message is asked before a yes: it needs confirm"


def _labels(tool: Any) -> Iterator[str]:
    if callable(tool.labels):
        if not takes(tool.labels, 0):
            yield "labels as a callable take nothing"
        yield from _deferred("labels", tool.labels)
    elif not isinstance(tool.labels, Mapping) or not all(isinstance(one, Mapping) for one in tool.labels.values()):
        yield "labels must map an argument's name to a mapping of value to label"
    else:
        for key in [*tool.labels, *(key for one in tool.labels.values() for key in one)]:
            if not isinstance(key, str):
                yield f"labels are found by texts, and {key!r} is none"
        yield from _unknown_labels(tool)


def _unknown_labels(tool: Any) -> Iterator[str]:
    if callable(tool.schema) and not isinstance(tool.schema, type):
        return
    names = schemas.names_in(schemas.shape_of(tool.schema))
    for name in tool.labels:
        if names is not None and name not in names:
            yield f"it has labels for {name!r}, which is no argument"


def _lists(tool: Any) -> Iterator[str]:
    for name, kind in (("forgets", str), ("acts", str), ("choices", ChoiceSource)):
        given = getattr(tool, name)
        if isinstance(given, str) or not isinstance(given, Sequence) or not all(isinstance(one, kind) for one in given):
            yield f"{name} must be a tuple, of {kind.__name__}"
    if tool.name in tool.forgets:
        yield "it forgets itself"


def _schemas(tool: Any) -> Iterator[str]:
    for declared in (tool.schema, tool.model_schema):
        if declared is None and tool.schema is not None:
            continue
        if callable(declared) and not isinstance(declared, type):
            if not takes(declared, 0) and not takes(declared, 1):
                yield "a schema as a callable takes nothing, or the context"
            yield from _deferred("a schema as a callable", declared)
            continue
        try:
            schemas.shape_of(declared)
        except ConfigurationError as fault:
            yield str(fault)


def _strangers(tool: Tool, declared: Mapping[str, Tool]) -> Iterator[str]:
    for name in tool.forgets:
        if name not in declared:
            yield f"it forgets {name!r}, which is no tool"
    for source in tool.choices:
        if source.search_tool and source.search_tool not in declared:
            yield f"the closed set {source.name!r} is searched by {source.search_tool!r}, which is no tool"
