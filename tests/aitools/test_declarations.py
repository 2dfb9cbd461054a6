"""A misdeclared tool stops the start, by name and with the fault."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, Field, RootModel

from aitools.choices import ChoiceSource, ClosedSet
from aitools.declarations import check_together
from aitools.errors import ConfigurationError
from aitools.tools import Registry, Tool, ToolContext, registry, tool


class Nothing(BaseModel):
    """No arguments."""


class Ring(BaseModel):
    inner: Ring | None = None


class Opaque(BaseModel):
    model_config = {"arbitrary_types_allowed": True}
    given: ToolContext


class Names(RootModel[list[str]]):
    """Not an object."""


def nothing(args: Any, ctx: ToolContext) -> None: ...


def made(**given: Any) -> Tool:
    fields: dict[str, Any] = {"name": "work", "description": "Works.", "handler": nothing, "schema": Nothing}
    return Tool(**fields | given)


def confirming(**given: Any) -> Tool:
    return made(confirm=True, effects="database", **given)


WRONG_LABELS: list[Any] = [[], {"size": "big"}, None, "size"]


def of(properties: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


def yielding(args: Any, ctx: ToolContext) -> Iterator[str]:
    yield "a"


async def yielding_later(args: Any, ctx: ToolContext) -> AsyncIterator[str]:
    yield "a"


async def later(args: Any, ctx: ToolContext) -> None: ...


async def no_words_yet() -> dict[str, Any]:
    return {}


class Later:
    async def __call__(self, args: Any, ctx: ToolContext) -> None: ...


class Line(BaseModel):
    size: str


class Sized(BaseModel):
    lines: list[Line]


class Renamed(BaseModel):
    size: str = Field(alias="talla")


DEFERRED = ("check", "confirm_lines", "confirm_message", "fingerprint", "report")
ASKS: dict[str, Any] = {"confirm": True, "effects": "database"}
SIZED = of({"size": {"type": "string"}})
FAULTS: list[tuple[dict[str, Any], str]] = [
    *(({"name": name}, "the name must match") for name in ("", "Work", "9lives", "a b", "ñandú", "a" * 65, "x-y", 7)),
    *(({"description": text}, "needs a description") for text in ("", "  \n", None)),
    ({"title": 7}, "title"),
    ({"confirm": True}, "asks for a yes but declares no effects"),
    *(({"confirm": given, "effects": "database"}, "confirm must be") for given in ("yes", 1, None)),
    ({"confirm_message": "Sure?"}, "a confirm_message is asked before a yes: it needs confirm"),
    *(({"version": given}, "version must be a whole number") for given in (True, "1", 1.0)),
    *(({"handler": given}, "handler must not be a generator") for given in (yielding, yielding_later)),
    *(({name: later, **ASKS}, f"{name} must not be async") for name in DEFERRED),
    *(({name: Later(), **ASKS}, f"{name} must not be async") for name in DEFERRED),
    *(({name: partial(later), **ASKS}, f"{name} must not be async") for name in DEFERRED),
    ({"labels": no_words_yet}, "labels must not be async"),
    ({"schema": no_words_yet}, "a schema as a callable must not be async"),
    ({"model_schema": no_words_yet}, "a schema as a callable must not be async"),
    ({"check": yielding}, "check must not be a generator"),
    ({"confirm_lines": yielding_later, **ASKS}, "confirm_lines must not be async"),
    ({"labels": {"size": {1: "one"}}, "schema": SIZED}, "labels are found by texts, and 1 is none"),
    ({"labels": {1: {"b": "big"}}, "schema": SIZED}, "labels are found by texts, and 1 is none"),
    ({"labels": {"sise": {"b": "big"}}, "schema": SIZED}, "it has labels for 'sise', which is no argument"),
    ({"labels": {"sise": {"b": "big"}}, "schema": Sized}, "it has labels for 'sise', which is no argument"),
    ({"schema": of({"x": {}}, required=["y"], additionalProperties=False)}, "requires 'y' but has no such property"),
    (
        {"schema": of({"x": {"items": of({}, required=["y"], additionalProperties=False)}})},
        "requires 'y' but has no such property",
    ),
    ({"effects": "data"}, "effects must be one of"),
    ({"effects": None}, "effects must be one of"),
    ({"fingerprint": nothing}, "needs confirm"),
    *(({"dedupe": given}, "dedupe must be") for given in (0, -1, True, 1.5, "arg", "600", [1])),
    *(
        ({"timeout_s": given}, "timeout_s must be")
        for given in (-1, -0.1, float("nan"), float("inf"), "15", None, True)
    ),
    *(({"handler": given}, "handler is not callable") for given in (None, "nothing", 7)),
    *(
        ({"handler": given}, "handler must take the arguments and the context")
        for given in (lambda: 1, lambda args: 1, lambda args, ctx, more: 1, partial(nothing, 1), sorted)
    ),
    ({"check": lambda args: None}, "check must take"),
    ({"report": 7}, "report is not callable"),
    ({"confirm_lines": ["a"]}, "confirm_lines is not callable"),
    ({"confirm_message": 7}, "confirm_message must be a text or a callable"),
    ({"confirm_message": lambda args: "?"}, "confirm_message must take"),
    *(({"labels": given}, "labels must map") for given in WRONG_LABELS),
    ({"labels": lambda args: {}}, "labels as a callable"),
    ({"forgets": "other"}, "forgets must be a tuple"),
    ({"forgets": (7,)}, "forgets must be a tuple"),
    ({"forgets": ("work",)}, "forgets itself"),
    ({"acts": "create"}, "acts must be a tuple"),
    ({"choices": ("products",)}, "choices must be a tuple"),
    ({"version": "2"}, "version must be a whole number"),
    ({"schema": None}, "no pydantic model and no JSON Schema"),
    ({"schema": dict}, "is the class dict, not a pydantic model"),
    ({"schema": "object"}, "no pydantic model and no JSON Schema"),
    ({"schema": lambda one, two: {}}, "a schema as a callable"),
    ({"schema": {}}, 'must have the type "object"'),
    ({"schema": {"type": "array"}}, 'must have the type "object"'),
    ({"schema": {"type": "objekt"}}, "is not valid at type"),
    ({"schema": of({"x": {"type": "integer", "minimum": "1"}})}, "is not valid at properties/x/minimum"),
    ({"schema": of({"x": {"type": "string", "pattern": "("}})}, "is not valid at properties/x/pattern"),
    ({"schema": of({"x": {"const": Decimal(1)}})}, "can not be written as JSON"),
    ({"schema": of({"x": {"maximum": float("nan")}})}, "can not be written as JSON"),
    ({"schema": of({"x": {"$ref": "#/$defs/gone"}})}, "which is not in it"),
    ({"schema": of({"x": {"$ref": "https://example.com/x.json"}})}, "which is not in it"),
    ({"schema": of({"x": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": {"$ref": "#/$defs/a"}}})}, "holds itself"),
    ({"schema": Ring}, "holds itself"),
    ({"schema": Opaque}, "has no JSON form"),
    ({"schema": Names}, 'must have the type "object"'),
    ({"model_schema": {"type": "string"}}, 'must have the type "object"'),
    ({"model_schema": 7}, "no pydantic model and no JSON Schema"),
]


@pytest.mark.parametrize(("given", "fault"), FAULTS, ids=[f"{fault[:24]}-{n}" for n, (_, fault) in enumerate(FAULTS)])
def test_a_fault_is_told_with_the_tools_name(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        made(**given)
    assert str(refused.value).startswith(f"Tool {given.get('name', 'work')!r}: ")
    assert fault in str(refused.value)


def test_labels_of_whatever_may_be_an_argument_are_accepted() -> None:
    labels: dict[str, Any] = {"size": {"b": gettext_lazy("Yes")}}
    open_ones: list[Any] = [{"type": "object"}, of({"x": {}}, additionalProperties=True), lambda: of({})]
    data = {"default": {"required": ["y"], "additionalProperties": False}}
    for schema in (Sized, Renamed, of({"lines": {"type": "array", "items": SIZED}}), of({"size": data}), *open_ones):
        made(labels=labels, schema=schema)
    made(schema=of({"required": {}}, required=["required"], additionalProperties=False))


def test_lines_may_be_made_one_by_one() -> None:
    confirming(confirm_lines=yielding)


def test_a_title_of_blanks_is_none() -> None:
    blank = confirming(title="  ")
    assert blank.shown_title == "Work"
    with pytest.raises(ConfigurationError, match="default title 'Work'"):
        check_together([blank])


def test_everything_that_may_be_declared_is_accepted() -> None:
    class Method:
        def __call__(self, args: Any, ctx: ToolContext) -> str:
            return "ok"

        def do(self, args: Any, ctx: ToolContext, more: int = 1) -> str:
            return "ok"

    for handler in (Method(), Method().do, lambda *args: 1, partial(nothing)):
        made(handler=handler)
    confirming(
        title=gettext_lazy("Yes"),
        confirm_message=gettext_lazy("Do you confirm?"),
        labels=lambda: {"size": {"b": "big"}},
        dedupe=1,
        timeout_s=0,
        fingerprint=lambda args, ctx: {"total": 1},
        forgets=("other",),
        schema=of({"x": {"$ref": "#/$defs/x"}}, **{"$defs": {"x": {"type": "integer"}}}),
    )


def test_two_closed_sets_of_one_name_can_not_be_told_apart() -> None:
    from typing import Annotated

    one, two = ChoiceSource("same", list), ChoiceSource("same", tuple)

    class Both(BaseModel):
        a: Annotated[str, ClosedSet(one)]
        b: Annotated[str, ClosedSet(two)]

    with pytest.raises(ConfigurationError, match="two closed sets are named 'same'"):
        made(schema=Both)


def test_a_field_that_tools_do_not_have_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_tools", {})
    with pytest.raises(ConfigurationError, match="Tool 'nothing': it has no timeout"):
        tool(schema=Nothing, description="x", timeout=3)(nothing)
    with pytest.raises(ConfigurationError, match="no pydantic model"):
        tool(description="x")(nothing)


def test_tools_are_checked_together_once_all_are_declared() -> None:
    tools = Registry()
    tools.add(confirming(title="Work", forgets=("other", "mkae")))
    tools.add(made(name="find", choices=(ChoiceSource("parts", list, search_tool="fnid"),)))
    tools.add(made(name="other"))
    with pytest.raises(ConfigurationError) as refused:
        tools.check()
    assert str(refused.value).splitlines() == [
        "Tool 'work': it forgets 'mkae', which is no tool.",
        "Tool 'find': the closed set 'parts' is searched by 'fnid', which is no tool.",
    ]


def test_the_shops_own_tools_are_right() -> None:
    registry.check()
