"""Whoever dies wherever in a conversation: what the customer gets is what they would have got anyway."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import pytest

from aitools import queue, staffing, turns
from aitools.models import BotProfile, Conversation
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, ToolContext
from aitools.types import AssistantStep, ModelReply, ModelRequest, UserText
from tests.aitools import crash_customers, crash_points
from tests.aitools import desk as parts
from tests.aitools.crash_customers import Customer, Outcome
from tests.aitools.crash_points import POINTS
from tests.aitools.desk import Desk

pytestmark = pytest.mark.crash

#: How long a question waits for its answer here: longer than all the dying before it.
PATIENCE_SECONDS = 3000


@pytest.fixture(autouse=True)
def mortals(desk: Desk, profile: BotProfile, monkeypatch: pytest.MonkeyPatch, settings: object) -> Iterator[Desk]:
    """The desk's customers write over a channel, to a model and with tools that may die."""
    settings.AITOOLS_CHANNELS["mortal"] = "tests.aitools.crash_points.MortalChannel"  # type: ignore[attr-defined]
    settings.AITOOLS_PROVIDERS = {"scripted": "tests.aitools.crash_points.MortalModel"}  # type: ignore[attr-defined]
    BotProfile.objects.update(confirm_seconds=PATIENCE_SECONDS)
    tools = {tool.name: tool for tool in (parts.LOOK, parts.MAKE, parts.UNDO, CALL)}
    with crash_points.mortal_world(monkeypatch, tools, think):
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


def call_baker(args: parts.Thing, ctx: ToolContext) -> str:
    """An effect elsewhere, which no transaction of ours takes back."""
    CALLED.append(args.name)
    return "called"


CALL = Tool("call", "Calls the baker.", call_baker, parts.Thing, title="Llamar", confirm=True, effects="external")
#: What the baker was called about.
CALLED: list[str] = []


def _first(text: str) -> ModelReply:
    verb, _, name = text.split("\n", maxsplit=1)[0].partition(" ")
    if verb == "dos":
        return asks(("look", {}), ("make", {"name": f"pan{name}"}), ("make", {"name": f"té{name}"}))
    if verb == "mira":
        return asks(("look", {}), ("make", {"name": f"pan{name}"}))
    if verb == "llama":
        return asks(("call", {"name": f"pan{name}"}))
    if verb == "haz":
        return asks(("make", {"name": f"pan{name}"}))
    return asks(("undo", {"name": f"pan{name}"})) if verb == "deshaz" else says("Hola.")


#: What the customer writes in turn; a number is a silence in seconds.
SCENES: dict[str, list[str | float]] = {
    "an order, undone": ["mira #", "sí", "deshaz #", "sí"],
    "no, and another question in place of an answer": ["haz #", "no", "haz #", "¿qué más hay?"],
    "two orders in one step, and a yes that comes too late": ["dos #", "sí", 2 * PATIENCE_SECONDS, "sí", "sí"],
    "an effect and a reset": ["dos #", "sí", "/reset"],
}
#: What is there in the end.
THINGS = {
    "an order, undone": [],
    "no, and another question in place of an answer": [],
    "two orders in one step, and a yes that comes too late": ["pan#", "té#"],
    "an effect and a reset": ["pan#"],
}
#: The acts before this one were died in elsewhere.
SINCE = {"an effect and a reset": 2}
_numbers = count(1)

Record = Callable[[str, object], None]
CUTS = {"the network is gone": crash_points.cut, "the server ends the session": crash_points.terminate}


def customer(desk: Desk) -> Customer:
    number = next(_numbers)
    return Customer(Desk("mortal", f"visitor {number}", desk.published), number)


def played(desk: Desk, scene: Sequence[str | float], *deaths: int, **more: Any) -> Outcome:
    """The scene with a customer of its own; in each act their workers die like this."""
    one = customer(desk)
    crash_customers.play(one, scene, *deaths, **more)
    return crash_customers.outcome(one, crash_customers.things(one))


@pytest.mark.parametrize("name", SCENES)
def test_a_death_at_any_point_of_each_act_changes_nothing(mortals: Desk, name: str, record_property: Record) -> None:
    """What is in the rows afterwards is what a conversation without deaths leaves there."""
    scene = SCENES[name]
    undisturbed = played(mortals, scene)
    assert undisturbed.made == THINGS[name]
    died = set()
    for point in crash_customers.every_point(record_property):
        assert played(mortals, scene, point, since=SINCE.get(name, 0)) == undisturbed, (point, POINTS.died)
        died.update(POINTS.died)
    assert died >= {"before a commit", "after a commit", "before a send", "after a send"}


@pytest.mark.parametrize("how", CUTS)
def test_a_connection_lost_at_any_point_of_each_act_changes_nothing(
    mortals: Desk, how: str, record_property: Record
) -> None:
    """The process lives on: its task fails, others come; also when the server did what it could not tell any more."""
    scene: list[str | float] = ["mira #", "sí"]
    undisturbed = played(mortals, scene)
    died = set()
    for point in crash_customers.every_point(record_property):
        assert played(mortals, scene, point, instead=CUTS[how]) == undisturbed, (point, POINTS.died)
        died.update(POINTS.died)
    assert died >= {"before a commit", "after a commit", "before a send", "after a send"}


def test_who_takes_over_may_die_too(mortals: Desk, record_property: Record) -> None:
    """The second death comes so many points after the first, somewhere in the recovery."""
    scene: list[str | float] = ["haz #", "sí"]
    undisturbed = played(mortals, scene)
    for point in crash_customers.every_point(record_property):
        assert played(mortals, scene, point, point % 17 + 1) == undisturbed, (point, POINTS.died)


@pytest.mark.parametrize(("instead", "ways"), [(None, 3), (crash_points.cut, 2)], ids=["deaths", "cuts"])
def test_what_happens_elsewhere_is_never_repeated_and_never_taken_for_undone(
    mortals: Desk, instead: Any, ways: int, record_property: Record
) -> None:
    """Dead around the call nobody knows: then the model is told so, and staff. Who lives still knows, and tells."""
    seen = set()
    for point in crash_customers.every_point(record_property):
        CALLED.clear()
        got = played(mortals, ["llama #", "sí"], point, since=1, instead=instead)
        ((_, state, attempts, result),) = got.calls
        assert (len(CALLED), state) in ((1, "done"), (1, "unknown"), (0, "unknown")), POINTS.died
        assert attempts == 1
        assert (state == "unknown") == ("outcome is unknown" in result)
        assert got.said[1:] == [("reply", "Listo.")]
        seen.add((len(CALLED), state))
    assert len(seen) == ways


def take_over(one: Customer) -> None:
    """A person answers there from now on, if there is anything to see yet."""
    for conversation in Conversation.objects.filter(address=one.desk.address):
        staffing.take_over(conversation.pk, 0)


def comes(one: Customer, text: str) -> None:
    """A message, and a worker that looks at once: it may find the lease held, and nobody will wake another."""
    one.desk.receive(text)
    conversation = one.desk.conversation().pk
    # The other worker, which may have gone on meanwhile, does not get this wake-up.
    with suppress(ValueError):
        one.desk.published.remove((queue.ADVANCE, conversation))
    turns.advance(conversation)


HAPPENINGS: dict[str, Callable[[Customer], object]] = {
    "espera": lambda one: comes(one, "espera"),
    "sí": lambda one: comes(one, "sí"),
    "/reset": lambda one: one.desk.receive("/reset"),
    "a person takes over": take_over,
}
STOPS = ("/reset", "a person takes over")


@pytest.mark.parametrize("what", HAPPENINGS)
def test_what_comes_at_any_point_is_heard_and_hides_nothing(mortals: Desk, what: str, record_property: Record) -> None:
    """Words come while an order is asked for, and again while it is confirmed; what stops it comes only then."""
    made = plays = 0
    for point in crash_customers.every_point(record_property):
        one = customer(mortals)
        POINTS.died.clear()
        for line in ("haz #", "sí"):
            _write_and_be_interrupted(one, line, HAPPENINGS[what], 0 if line != "sí" and what in STOPS else point)
        if POINTS.died:
            made, plays = made + _assert_heard(one, [what] * len(POINTS.died)), plays + 1
    assert made > 0
    assert made < plays or what not in STOPS


def _write_and_be_interrupted(one: Customer, line: str, happens: Callable[[Customer], object], point: int) -> None:
    threads: list[threading.Thread] = []
    POINTS.expect(*[point] * (point > 0), instead=lambda _: threads.append(crash_points.beside(lambda: happens(one))))
    one.write(line)()
    POINTS.expect()
    for thread in threads:
        thread.join()
    one.desk.drain()
    conversation = one.desk.conversation()
    assert conversation.read_seq == conversation.inbox_seq, f"Left to a sweep: {POINTS.died}"
    one.come_to_rest()


def _assert_heard(one: Customer, others: list[str]) -> int:
    """Every word is in a turn, and every effect was agreed to and is told; how many effects there are."""
    crash_customers.assert_sound(one)
    got = crash_customers.outcome(one, crash_customers.things(one))
    if {"sí", "espera"} & {*others}:
        heard = [line for _, text, *_ in got.turns for line in text.split("\n")]
        assert sorted(heard) == sorted(["haz #", "sí", *others]), POINTS.died
    said = " ".join(text for _, text in got.said)
    assert len(got.made) == [state for state, _ in got.questions].count("approved") <= 1, POINTS.died
    assert not got.made or "Listo." in said or "Hecho: 1 × pan#." in said, POINTS.died
    return len(got.made)
