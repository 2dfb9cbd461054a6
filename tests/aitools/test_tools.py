"""Declaring tools: refused when wrong, one schema for every vendor, a hash that means something."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from aitools.choices import INLINE_LIMIT, Choice, ChoiceSource, ClosedSet
from aitools.errors import ConfigurationError
from aitools.tools import Registry, Tool, ToolContext, ToolSet, bind, registry, tool

PAN = [Choice("pan", "Pan de bono"), Choice("croissant", "Croissant")]
products = ChoiceSource("products", lambda: PAN, search_tool="search_products")


class Line(BaseModel):
    model_config = ConfigDict(extra="forbid")
    product: Annotated[str, ClosedSet(products)] = Field(description="What.")
    size: Literal["small", "big"] = "small"


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    lines: list[Line]


def nothing(args: Any, ctx: ToolContext) -> None:
    """Does nothing,
    on two lines."""


def made(**fields: Any) -> Tool:
    given: dict[str, Any] = {"name": "work", "description": "Works.", "handler": nothing, "schema": Order}
    return Tool(**given | fields)


@pytest.mark.parametrize("name", ["", "Work", "9lives", "with space", "ñandú", "a" * 65, "x-y", "drop;table"])
def test_a_name_that_some_vendor_refuses_is_refused_at_once(name: str) -> None:
    with pytest.raises(ConfigurationError, match="Tool name"):
        made(name=name)


def test_a_confirm_without_an_effect_makes_no_sense() -> None:
    with pytest.raises(ConfigurationError, match="declares no effects"):
        made(confirm=True)


def test_a_model_needs_to_know_when_to_use_it() -> None:
    with pytest.raises(ConfigurationError, match="description"):
        made(description="  ")


def test_the_title_is_for_people() -> None:
    assert made(name="create_order").shown_title == "Create order"
    assert made(title="Crear pedido").shown_title == "Crear pedido"


@pytest.mark.parametrize(("dedupe", "seconds"), [(None, 0), ("args", 600), (90, 90)])
def test_dedupe_is_a_window_in_seconds(dedupe: Any, seconds: int) -> None:
    assert made(dedupe=dedupe).dedupe_seconds == seconds


def test_declaring_takes_name_and_description_from_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_tools", {})
    declared = tool(schema=Order)(nothing)
    assert (declared.name, declared.description) == ("nothing", "Does nothing, on two lines.")
    assert registry.get("nothing") is declared


def test_a_tool_that_confirms_writes_unless_it_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_tools", {})
    assert tool(schema=Order, confirm=True)(nothing).effects == "database"
    assert tool(schema=Order, confirm=True, effects="external")(nothing).effects == "external"


def test_two_tools_of_one_name_are_a_mistake_and_one_declared_twice_is_none() -> None:
    tools = Registry()
    tools.add(made())
    tools.add(made())
    with pytest.raises(ConfigurationError, match="Two tools"):
        tools.add(made(handler=lambda args, ctx: None))


def test_references_are_inlined_for_vendors_that_do_not_take_them() -> None:
    schema = bind(made()).json_schema
    assert "$ref" not in str(schema)
    assert "$defs" not in schema
    assert schema["properties"]["lines"]["items"]["properties"]["product"]["enum"] == ["pan", "croissant"]


def test_a_schema_may_be_made_at_run_time_or_be_plain_json() -> None:
    plain = {"type": "object", "properties": {"x": {"type": "integer"}}}
    assert bind(made(schema=plain)).json_schema == plain
    assert bind(made(schema=lambda: plain)).json_schema == plain
    assert bind(made(schema=lambda: Order)).model is Order


def test_the_hash_changes_with_the_tool_and_not_with_the_menu(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bind(made()).schema_hash
    monkeypatch.setitem(globals(), "PAN", [*PAN, Choice("té", "Té")])
    assert "té" in str(bind(made()).json_schema)
    assert bind(made()).schema_hash == before
    monkeypatch.setitem(globals(), "PAN", [Choice(f"p{number}", "") for number in range(INLINE_LIMIT + 1)])
    assert bind(made()).schema_hash == before
    assert bind(made(version=2)).schema_hash != before
    assert bind(made(schema=Line)).schema_hash != before


def test_what_a_model_sees_has_no_python_in_it() -> None:
    spec = bind(made(title="Trabajar", confirm=True, effects="database", choices=(products,))).spec()
    assert (spec.name, spec.title, spec.confirm) == ("work", "Trabajar", True)
    assert spec.choices == {"products": products}


def test_a_set_of_tools_keeps_the_order_of_declaration() -> None:
    tools = ToolSet([made(name="b"), made(name="a")])
    assert tools.names() == ["b", "a"] == [spec.name for spec in tools.specs()]
    assert tools.get("c") is None


def test_a_declared_tool_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        made().confirm = True  # type: ignore[misc]
    assert replace(made(), title="x").title == "x"
