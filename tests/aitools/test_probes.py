"""What breaks other agent frameworks, tried here: always one order or none, and an answer that makes sense.

Everything is seen from outside: what the customer writes and reads, and the
effects there were.  Workers die by an exception that nobody catches, or by
losing their connection; real PostgreSQL decides the rest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connection, transaction

from aitools import clock, turns
from aitools.models import BotProfile, Conversation, ModelEndpoint, PendingConfirmation, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import ToolContext, registry
from aitools.types import AssistantStep, ModelReply, Stop, ToolRequest
from tests.aitools import desk as parts
from tests.aitools.desk import Desk, Thing
from tests.aitools.threads import together, until_idle

QUESTION = "Voy a: Hacer\n• 1 × pan\n• Total: 5\n¿Confirmas?"
WANTED = asks(("make", {"name": "pan"}))
DONE = says("Listo, tu pan está hecho.")
TOLD = "Hecho: 1 × pan."
#: Longer than any lease that a dead worker leaves behind.
LEASE_SECONDS = 600

Trouble = Callable[[], None]


class Crash(BaseException):
    """A worker's sudden end: no ``except Exception`` sees it."""


def make(args: Thing, ctx: ToolContext) -> dict[str, Any]:
    """An effect that nothing keeps from happening twice but the engine itself."""
    ModelEndpoint.objects.create(name=f"{args.name} {time.monotonic_ns()}", kind="scripted", model="made")
    return {"made": args.name, "say": f"Hecho: {args.count} × {args.name}."}


@pytest.fixture(autouse=True)
def spoil(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let ``make`` run into troubles, one a run, right after its effect; later runs go well."""

    def declare(*troubles: Trouble, **fields: Any) -> None:
        waiting = list(troubles)

        def spoilt(args: Thing, ctx: ToolContext) -> dict[str, Any]:
            trouble = waiting.pop(0) if waiting else None
            made = make(args, ctx)
            if trouble:
                trouble()
            return made

        monkeypatch.setitem(registry._tools, "make", replace(parts.MAKE, handler=spoilt, **fields))

    declare()
    return declare


@pytest.fixture(params=["es", "en"])
def language(request: pytest.FixtureRequest, desk: Desk) -> str:
    """The desk's customer speaks this language."""
    Conversation.objects.create(channel="web", address=desk.address, language=request.param, language_fixed=True)
    return str(request.param)


def die() -> None:
    raise Crash


def die_after_the_commit() -> None:
    transaction.on_commit(die)


def lose_the_connection() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def later_sweeps(desk: Desk) -> list[str]:
    """The dead worker's lease runs out, other workers look several times; what they said."""
    said: list[str] = []
    for number in range(1, 4):
        clock.shift(LEASE_SECONDS * number)
        said += desk.sweep()
    return said


@pytest.mark.parametrize(
    ("trouble", "made_by_then"),
    [(die, 0), (lose_the_connection, 0), (die_after_the_commit, 1)],
    ids=["it dies before the save", "it loses its connection", "it dies after the save"],
)
def test_a_crash_after_the_effect_and_a_retry_make_one_order(
    desk: Desk, spoil: Callable[..., None], trouble: Trouble, made_by_then: int
) -> None:
    """Before the save nothing happened and it is done again; after it, it is only told."""
    spoil(trouble)
    with scripted.script([WANTED, DONE]):
        assert desk.write("pan") == [QUESTION]
        yes = desk.receive("sí")
        with suppress(Crash, OperationalError, InterfaceError):
            desk.drain()
        assert (len(parts.things()), desk.said()) == (made_by_then, [QUESTION])
        assert later_sweeps(desk) == [DONE.text]
        desk.write("sí", provider_id=yes)
    assert len(parts.things()) == 1
    assert desk.said() == [QUESTION, DONE.text]


def test_the_same_yes_on_two_workers_makes_one_order(desk: Desk) -> None:
    """The webhook comes twice and two workers start at once, round after round."""
    for number in range(8):
        customer = Desk(address=f"visitor {number}", published=desk.published)
        with scripted.script([WANTED, DONE]):
            assert customer.write("pan") == [QUESTION]
            yes = customer.receive("sí")
            customer.receive("sí", provider_id=yes)
            desk.published.clear()
            together(*[partial(turns.advance, customer.conversation().pk)] * 2)
        assert (len(parts.things()), customer.said()) == (number + 1, [QUESTION, DONE.text])


def test_a_worker_that_slept_over_its_lease_adds_no_second_order(desk: Desk, spoil: Callable[..., None]) -> None:
    """Another one took the same yes over and has done it, while the first stood in the middle of the effect."""

    runs: list[str] = []

    def take_over() -> None:
        clock.shift(LEASE_SECONDS)
        turns.advance(desk.conversation().pk)

    def sleep() -> None:
        runs.append("first")
        together(take_over)

    spoil(sleep, lambda: runs.append("second"))
    with scripted.script([WANTED, DONE]):
        desk.write("pan")
        desk.write("sí")
        assert later_sweeps(desk) == []
    assert (runs, len(parts.things())) == (["first", "second"], 1)
    assert desk.said() == [QUESTION, DONE.text]


@pytest.mark.parametrize("way", ["typed", "pressed"])
def test_a_stale_second_yes_orders_nothing_and_is_told_what_was_done(desk: Desk, way: str, language: str) -> None:
    with scripted.script([WANTED, says("Listo.")]):
        desk.write("pan")
        desk.press("yes") if way == "pressed" else desk.write("sí")
        again = desk.press("yes") if way == "pressed" else desk.write("sí")
    known = {"es": "Eso ya está confirmado.", "en": "That is already confirmed."}
    assert again == [f"{known[language]} {TOLD}"]
    assert len(parts.things()) == 1


def test_a_tool_that_timed_out_and_commits_later_leaves_only_the_order_of_the_second_try(
    desk: Desk, spoil: Callable[..., None]
) -> None:
    wake_up, woke = threading.Event(), threading.Event()

    def stay_away() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        wake_up.wait(20)
        woke.set()

    spoil(stay_away, timeout_s=0.3)
    with scripted.script([WANTED, says("No alcancé a hacerlo. ¿Lo intento otra vez?"), WANTED, DONE]):
        desk.write("pan")
        assert desk.write("sí") == ["No alcancé a hacerlo. ¿Lo intento otra vez?"]
        assert parts.things() == []
        assert desk.write("otra vez, por favor") == [QUESTION]
        assert desk.write("sí") == [DONE.text]
    wake_up.set()
    assert woke.wait(10)
    until_idle()
    assert len(parts.things()) == 1


@pytest.mark.parametrize(
    "reply", [(("look", {}), ("make", {"name": "pan"})), (("make", {"name": "pan"}), ("look", {}))]
)
def test_a_read_beside_the_order_runs_once_whatever_the_yes_does(
    desk: Desk, reply: tuple[tuple[str, dict[str, str]], ...]
) -> None:
    with scripted.script([asks(*reply), DONE]) as script:
        assert desk.write("pan, ¿y qué hay?") == [QUESTION]
        assert desk.write("sí") == [DONE.text]
    assert (len(parts.LOOKED), len(parts.things())) == (1, 1)
    (step,) = [message for message in script.calls[-1].messages if isinstance(message, AssistantStep)]
    assert [result.call_id for result in step.results] == [call.call_id for call in step.calls]


def test_a_late_yes_after_free_text_is_no_answer_to_the_old_question(desk: Desk) -> None:
    """Neither typed nor pressed: the text closed it, and what is wanted is asked anew."""
    with scripted.script([WANTED, says("Hay pan y café."), WANTED, DONE]):
        assert desk.write("pan") == [QUESTION]
        old = desk.question().key
        assert desk.write("¿qué más hay?") == ["Hay pan y café."]
        assert desk.press("yes", key=old) == []
        assert desk.write("sí") == [QUESTION]
        assert parts.things() == []
        assert desk.press("yes", key=old) == []
        assert parts.things() == []
        assert desk.write("sí") == [DONE.text]
    assert len(parts.things()) == 1


@pytest.mark.parametrize("sums_up", [False, True])
def test_a_limit_right_after_the_effect_never_hides_it(desk: Desk, profile: BotProfile, sums_up: bool) -> None:
    """The model goes on asking for tools until it may not: the customer still hears of the order."""
    BotProfile.objects.filter(pk=profile.pk).update(max_steps=2, sums_up=sums_up)
    busy = [WANTED, asks(("look", {})), asks(("look", {}))]
    with scripted.script([*busy, *([says("")] if sums_up else [])]):
        assert desk.write("pan") == [QUESTION]
        (told,) = desk.write("sí")
    assert TOLD in told
    assert len(parts.things()) == 1


class LaterThing(Thing):
    """What a deploy made of it."""

    note: str = ""


@pytest.mark.parametrize("change", ["renamed", "another schema"])
def test_a_tool_that_changed_while_the_question_waits_does_not_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, change: str, language: str
) -> None:
    with scripted.script([WANTED]):
        desk.write("pan")
        if change == "renamed":
            monkeypatch.delitem(registry._tools, "make")
            monkeypatch.setitem(registry._tools, "bake", replace(parts.MAKE, handler=make, name="bake"))
        else:
            monkeypatch.setitem(registry._tools, "make", replace(parts.MAKE, handler=make, schema=LaterThing))
        (told,) = desk.write("sí")
    assert told.startswith({"es": "Disculpa, ya no puedo hacerlo", "en": "Sorry, I can't do that"}[language])
    assert parts.things() == []
    tool = "bake" if change == "renamed" else "make"
    with scripted.script([asks((tool, {"name": "pan"})), DONE]):
        desk.write("entonces pan")
        assert desk.write("sí") == [DONE.text]
    assert len(parts.things()) == 1


@pytest.mark.parametrize("altered", [{"name": "torta", "count": 1}, {"name": "pan", "count": 500}, {"name": 7}])
def test_arguments_altered_in_a_row_are_never_what_the_yes_runs(
    desk: Desk, spoil: Callable[..., None], altered: dict[str, object]
) -> None:
    """What runs is what was shown, or nothing; silence is no answer."""
    with scripted.script([WANTED]):
        assert desk.write("pan") == [QUESTION]
    with suppress(AssertionError), scripted.script([DONE]):
        ToolCall.objects.update(arguments=altered)
        desk.write("sí")
    said = desk.said()[1:]
    made = ModelEndpoint.objects.filter(model="made")
    assert [thing.name.split()[0] for thing in made] in ([], ["pan"])
    assert len(said) == 1
    assert (said == [DONE.text]) == bool(made)
    results = ToolCall.objects.filter(state="done").values_list("value", flat=True)
    assert all(result == {"made": "pan", "say": TOLD} for result in results)


def test_a_reply_cut_by_the_token_limit_asks_and_runs_nothing(desk: Desk) -> None:
    """Its confirm call may be half of what was meant; with more room the whole of it is asked."""
    cut = ModelReply(tool_calls=(ToolRequest("make", {"name": "pa"}),), stop=Stop.LENGTH)
    with scripted.script([cut, WANTED, DONE]) as script:
        assert desk.write("pan") == [QUESTION]
        assert desk.write("sí") == [DONE.text]
    assert script.calls[1].max_output_tokens > script.calls[0].max_output_tokens
    assert [thing.split()[0] for thing in parts.things()] == ["pan"]


def test_a_reply_that_is_cut_every_time_orders_nothing_and_says_so(desk: Desk, language: str) -> None:
    cut = ModelReply(tool_calls=(ToolRequest("make", {"name": "pan"}),), stop=Stop.LENGTH)
    with scripted.script([cut, cut]):
        (told,) = desk.write("pan")
    assert told.startswith({"es": "Disculpa, eso fue demasiado largo", "en": "Sorry, that was too long"}[language])
    assert (parts.things(), PendingConfirmation.objects.count()) == ([], 0)
