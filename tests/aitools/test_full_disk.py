"""A statement fails as on a full disk: nothing is half-done, and what failed is done later, once.

Each statement and commit of a conversation is failed by the server itself, with
its error 53100, so the transaction around it is broken as it would be.  The
points are found by counting, so new code is covered as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from aitools.models import BotProfile
from aitools.providers.scripted import asks, says
from aitools.types import AssistantStep, ModelReply, ModelRequest, UserText
from tests.aitools import crash_customers, crash_points
from tests.aitools import desk as parts
from tests.aitools.crash_customers import Customer, Outcome
from tests.aitools.crash_points import POINTS
from tests.aitools.desk import Desk

pytestmark = pytest.mark.outage

FULL = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"
#: How long a question waits for its answer here: longer than all the sweeps before it.
PATIENCE_SECONDS = 3000
SCENE: list[str | float] = ["haz #", "sí", "deshaz #", "sí"]

Record = Callable[[str, object], None]


@pytest.fixture(autouse=True)
def small_disk(desk: Desk, profile: BotProfile, monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[Desk]:
    settings.AITOOLS_CHANNELS["mortal"] = "tests.aitools.crash_points.MortalChannel"  # type: ignore[attr-defined]
    settings.AITOOLS_PROVIDERS = {"scripted": "tests.aitools.crash_points.MortalModel"}  # type: ignore[attr-defined]
    BotProfile.objects.update(confirm_seconds=PATIENCE_SECONDS)
    tools = {tool.name: tool for tool in (parts.LOOK, parts.MAKE, parts.UNDO)}
    with crash_points.mortal_world(monkeypatch, tools, think):
        yield desk


def think(request: ModelRequest) -> ModelReply:
    """A model without memory: the same request, the same reply."""
    last = request.messages[-1]
    if isinstance(last, AssistantStep):
        return says("Listo.")
    assert isinstance(last, UserText)
    verb, _, name = last.text.partition(" ")
    return asks(("look", {}), ("make" if verb == "haz" else "undo", {"name": f"pan{name}"}))


def is_full(what: str) -> None:
    """No statement and no commit has room; what is done elsewhere needs none."""
    if what.startswith("before ") and not what.startswith(("before a send", "before a model", "before the handler")):
        with connection.wrap_database_errors:
            connection.ensure_connection()
            connection.connection.execute(FULL)


def played(desk: Desk, number: int, *strikes: int) -> Outcome:
    """The scene with a customer of its own; in each act the disk is full at those points."""
    one = Customer(Desk("mortal", f"visitor {number}", desk.published), number)
    crash_customers.play(one, SCENE, *strikes, instead=is_full)
    return crash_customers.outcome(one, crash_customers.things(one))


@pytest.mark.parametrize("width", [1, 3], ids=["once", "three times in a row"])
def test_a_full_disk_at_any_statement_of_each_act_leaves_nothing_half_done(
    small_disk: Desk, width: int, record_property: Record
) -> None:
    undisturbed = played(small_disk, 0)
    assert [state for _, state, *_ in undisturbed.calls] == ["done"] * 4
    failed: set[str] = set()
    points: list[str] = []
    for point in crash_customers.every_point(record_property):
        assert played(small_disk, point, point, *[1] * (width - 1)) == undisturbed, (point, POINTS.died)
        failed.update(POINTS.died)
        points += POINTS.died
    assert "before a commit" in failed
    record_property(
        "figure", f"full disk {width} × at each of {len(points)} points, {len(failed)} kinds: as if it had not been"
    )
