"""Whoever dies wherever in a conversation: what the customer gets is what they would have got anyway."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

import pytest

from aitools.models import BotProfile
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from aitools.types import AssistantStep, ModelReply, ModelRequest, UserText
from tests.aitools import crash_points
from tests.aitools import desk as parts
from tests.aitools.crash_points import POINTS, Customer, Outcome
from tests.aitools.desk import Desk

#: How long a question waits for its answer here: longer than all the dying before it.
PATIENCE_SECONDS = 3000


@pytest.fixture(autouse=True)
def mortals(desk: Desk, profile: BotProfile, monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[Desk]:
    """The desk's customers write over a channel, to a model and with tools that may die."""
    settings.AITOOLS_CHANNELS["mortal"] = "tests.aitools.crash_points.MortalChannel"  # type: ignore[attr-defined]
    settings.AITOOLS_PROVIDERS = {"scripted": "tests.aitools.crash_points.MortalModel"}  # type: ignore[attr-defined]
    BotProfile.objects.update(confirm_seconds=PATIENCE_SECONDS)
    tools = [crash_points.mortal(tool) for tool in (parts.LOOK, parts.MAKE, parts.UNDO)]
    monkeypatch.setattr(registry, "_tools", {tool.name: tool for tool in tools})
    monkeypatch.setattr(crash_points, "THINKS", [think])
    monkeypatch.setattr(crash_points, "AHEAD", [0.0])
    crash_points.HANDED.clear()
    crash_points.watch_database(monkeypatch)
    with crash_points.one_clock():
        yield desk


def think(request: ModelRequest) -> ModelReply:
    """A model without memory: the same request, the same reply."""
    last = request.messages[-1]
    if isinstance(last, UserText):
        return _first(last.text)
    assert isinstance(last, AssistantStep)
    told = last.results[0].content
    if "userReply" in told:
        return asks(("look", {}))
    return says("Vale." if "denied" in told else "Listo.")


def _first(text: str) -> ModelReply:
    verb, _, name = text.partition(" ")
    if verb == "dos":
        return asks(("look", {}), ("make", {"name": f"pan{name}"}), ("make", {"name": f"té{name}"}))
    if verb == "mira":
        return asks(("look", {}), ("make", {"name": f"pan{name}"}))
    if verb == "haz":
        return asks(("make", {"name": f"pan{name}"}))
    return asks(("undo", {"name": f"pan{name}"})) if verb == "deshaz" else says("Hola.")


#: What the customer writes in turn; a number is a silence in seconds.
SCENES: dict[str, list[str | float]] = {
    "an order, undone": ["mira #", "sí", "deshaz #", "sí"],
    "no, and another question in place of an answer": ["haz #", "no", "haz #", "¿qué más hay?"],
    "two orders in one step, and a yes that comes too late": ["dos #", "sí", 2 * PATIENCE_SECONDS, "sí", "sí"],
    "an effect and a reset": ["dos #", "sí", "/reset", "hola"],
}
#: What is there in the end.
THINGS = {
    "an order, undone": [],
    "no, and another question in place of an answer": [],
    "two orders in one step, and a yes that comes too late": ["pan#", "té#"],
    "an effect and a reset": ["pan#"],
}
_numbers = count(1)


def play(desk: Desk, scene: Sequence[str | float], *deaths: int) -> Outcome:
    """The scene with a customer of its own; in each act their workers die like this."""
    number = next(_numbers)
    one = Customer(Desk("mortal", f"visitor {number}", desk.published), number)
    POINTS.died.clear()
    for line in scene:
        act = one.write(line) if isinstance(line, str) else one.wait(line)
        POINTS.expect(*deaths)
        one.survive(act)
    POINTS.expect()
    crash_points.assert_nothing_is_stuck(one)
    crash_points.assert_said_once(one)
    crash_points.assert_audited(one)
    return crash_points.outcome(one)


@pytest.mark.parametrize("name", SCENES)
def test_a_death_at_any_point_of_each_act_changes_nothing(mortals: Desk, name: str) -> None:
    """What is in the rows afterwards is what a conversation without deaths leaves there."""
    scene = SCENES[name]
    undisturbed = play(mortals, scene)
    assert undisturbed.things == THINGS[name]
    died = set()
    for point in count(1):
        assert play(mortals, scene, point) == undisturbed, (point, POINTS.died)
        if not POINTS.died:
            break
        died.update(POINTS.died)
    assert died >= {"before a model call", "after a commit", "before a send", "after a send"}


@pytest.mark.parametrize("after", [3, 11])
def test_who_takes_over_may_die_too(mortals: Desk, after: int) -> None:
    """The second death comes so many points after the first, somewhere in the recovery."""
    scene: list[str | float] = ["haz #", "sí"]
    undisturbed = play(mortals, scene)
    for point in count(1):
        assert play(mortals, scene, point, after) == undisturbed, (point, POINTS.died)
        if not POINTS.died:
            break
