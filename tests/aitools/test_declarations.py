"""A misdeclared tool stops the start, by name and with the fault."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, RootModel

from aitools.choices import ChoiceSource, ClosedSet
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


FAULTS: list[tuple[dict[str, Any], str]] = [
    *(({"name": name}, "the name must match") for name in ("", "Work", "9lives", "a b", "ñandú", "a" * 65, "x-y", 7)),
    *(({"description": text}, "needs a description") for text in ("", "  \n", None)),
    ({"title": 7}, "title"),
    ({"confirm": True}, "asks for a yes but declares no effects"),
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
