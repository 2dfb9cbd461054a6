"""Declaring tools: refused when wrong, one schema for every vendor, a hash that means something."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

import pytest
from django.db import OperationalError, transaction
from pydantic import BaseModel, ConfigDict, Field

from aitools.choices import INLINE_LIMIT, Choice, ChoiceSource, ClosedSet, shared
from aitools.errors import ConfigurationError
from aitools.models import BotProfile, Conversation
from aitools.tools import Registry, Tool, ToolContext, ToolSet, bind, call, registry, tool
from aitools.types import ToolRequest
from aitools.validation import Valid, validate

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


def test_the_title_is_for_people() -> None:
    assert made(name="create_order").shown_title == "Create order"
    assert made(title="Crear pedido").shown_title == "Crear pedido"


@pytest.mark.parametrize(("dedupe", "seconds"), [(None, 0), ("args", 600), (90, 90)])
def test_dedupe_is_a_window_in_seconds(dedupe: Any, seconds: int) -> None:
    assert made(dedupe=dedupe).dedupe_seconds == seconds


def test_a_tool_may_take_fifteen_seconds_unless_it_says_otherwise() -> None:
    assert (made().timeout_s, made(timeout_s=3).timeout_s, made(timeout_s=0).timeout_s) == (15, 3, 0)


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
    for other in (lambda args, ctx: None, namesake(), partial(nothing)):
        with pytest.raises(ConfigurationError, match="Two tools are named 'work'"):
            tools.add(made(handler=other))


def namesake() -> Any:
    """Another module's function with the same name."""
    names: dict[str, Any] = {"__name__": "elsewhere"}
    exec("def nothing(args, ctx): ...", names)
    return names["nothing"]


def test_two_tools_of_one_name_are_no_set() -> None:
    with pytest.raises(ConfigurationError, match="Two tools are named 'work'"):
        ToolSet([made(), made(version=2)])


def test_references_are_inlined_for_vendors_that_do_not_take_them() -> None:
    schema = bind(made()).json_schema
    assert "$ref" not in str(schema)
    assert "$defs" not in schema
    assert schema["properties"]["lines"]["items"]["properties"]["product"]["enum"] == ["pan", "croissant"]


PLAIN: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "integer"}}}


def test_a_schema_may_be_made_at_run_time_or_be_plain_json() -> None:
    assert bind(made(schema=PLAIN)).json_schema == PLAIN
    assert bind(made(schema=lambda: PLAIN)).json_schema == PLAIN
    assert bind(made(schema=lambda: Order)).model is Order


def test_a_schema_of_the_turn_may_look_at_who_asks() -> None:
    tools = ToolSet([made(schema=lambda ctx: Order if ctx.language == "es" else PLAIN)], context(language="es"))
    bound = tools.get("work")
    assert bound is not None
    assert bound.model is Order


def test_the_model_may_be_shown_another_schema_than_the_one_that_validates() -> None:
    bound = bind(made(schema=Order, model_schema=PLAIN))
    assert bound.spec().schema == PLAIN
    assert bound.model is Order
    assert bound.schema_hash == bind(made(schema=Order)).schema_hash
    assert bind(made(schema=Order, model_schema=lambda: PLAIN)).spec().schema == PLAIN


@pytest.mark.parametrize(
    "rubbish", [lambda: {"type": "array"}, lambda: None, lambda: dict[str, Any]()["x"], lambda ctx: ctx.nothing]
)
def test_a_tool_whose_schema_can_not_be_made_is_left_out_of_the_turn(
    rubbish: Any, caplog: pytest.LogCaptureFixture
) -> None:
    tools = ToolSet([made(name="a"), made(name="b", schema=rubbish), made(name="c")])
    assert tools.names() == ["a", "c"] == [spec.name for spec in tools.specs()]
    assert tools.get("b") is None
    assert "tool b is left out" in caplog.text


def test_a_database_that_is_away_is_no_fault_of_the_schema() -> None:
    def away() -> Any:
        raise OperationalError("the server closed the connection")

    with pytest.raises(OperationalError):
        ToolSet([made(schema=away)]).specs()


def test_nothing_is_read_before_the_model_is_shown_its_tools() -> None:
    loads = []

    def load() -> list[Choice]:
        loads.append(1)
        return PAN

    source = ChoiceSource("counted", lambda: shared(load))

    class Counted(BaseModel):
        one: Annotated[str, ClosedSet(source)]
        two: Annotated[str, ClosedSet(source)]

    tools = ToolSet([made(name="a", schema=Counted), made(name="b", schema=lambda: Counted)])
    bound = tools.get("a")
    assert bound is not None
    assert (bound.schema_hash, loads) == (bind(made(schema=Counted)).schema_hash, [])
    assert tools.specs()[1].schema["properties"]["two"]["enum"] == ["pan", "croissant"]
    assert len(loads) == 1
    assert isinstance(validate(bound, ToolRequest("a", {"one": "pan", "two": "pan"})), Valid)
    assert len(loads) == 2


def test_a_schema_is_made_once_as_long_as_its_keys_are_the_same() -> None:
    members = [PAN]
    source = ChoiceSource("kept", lambda: tuple(members[0]))

    class Kept(BaseModel):
        one: Annotated[str, ClosedSet(source)]

    first = bind(made(schema=Kept)).json_schema
    assert bind(made(schema=Kept)).json_schema is first
    members[0] = [*PAN, Choice("té", "Té")]
    assert bind(made(schema=Kept)).json_schema["properties"]["one"]["enum"] == ["pan", "croissant", "té"]


def test_an_async_handler_is_run_to_its_end() -> None:
    async def slow(args: Any, ctx: ToolContext) -> str:
        await asyncio.sleep(0)
        return f"done by {ctx.tool}"

    assert call(made(handler=slow), None, context(tool="work")) == "done by work"


@pytest.mark.django_db(transaction=True)
def test_what_an_async_handler_writes_belongs_to_the_open_transaction() -> None:
    async def write(args: Any, ctx: ToolContext) -> None:
        await BotProfile.objects.acreate(name="from a coroutine")

    with transaction.atomic():
        call(made(handler=write), None, context())
        assert BotProfile.objects.filter(name="from a coroutine").exists()
        transaction.set_rollback(True)
    assert not BotProfile.objects.filter(name="from a coroutine").exists()


def test_the_context_knows_how_long_is_left() -> None:
    assert context().time_left() is None
    assert context(deadline=0.0).time_left() == 0
    left = context(deadline=time.monotonic() + 60).time_left()
    assert left is not None
    assert 0 < left <= 60


@pytest.mark.django_db
def test_the_context_finds_the_conversation() -> None:
    row = Conversation.objects.create(channel="web", address="visitor")
    assert context(conversation_id=row.pk).conversation == row
    assert context().conversation is None


def context(**given: Any) -> ToolContext:
    fields = {"tool": "", "call_id": "", "chat_key": "c", "language": "es", "now": datetime.now(UTC)}
    return ToolContext(**{**fields, **given})


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
