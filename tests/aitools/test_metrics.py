"""What is counted, once each, by labels that nobody outside chooses, and at nobody's cost."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from aitools import clock, metrics, sending, staffing, turns
from aitools.channels.base import EventKind
from aitools.errors import ChannelPermanent, ProviderTransient
from aitools.models import Conversation
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import faulty
from tests.aitools.desk import Desk

PAN = asks(("make", {"name": "pan"}))


class Counts:
    """What was counted since this was made."""

    def __init__(self) -> None:
        self.before = self._all()

    def __call__(self, name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return self._all().get(key, 0) - self.before.get(key, 0)

    def series(self) -> set[str]:
        """Names and labels that have moved."""
        return {
            f"{name}{dict(labels)}"
            for (name, labels), value in self._all().items()
            if value != self.before.get((name, labels), 0)
        }

    def _all(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
        samples = [sample for metric in metrics.REGISTRY.collect() for sample in metric.samples]
        return {
            (one.name, tuple(sorted(one.labels.items()))): one.value
            for one in samples
            if not one.name.endswith("_created")
        }


@pytest.fixture
def counts(desk: Desk) -> Counts:
    return Counts()


def test_a_confirmed_order_is_counted_once_in_each_place(desk: Desk, counts: Counts) -> None:
    with scripted.script([asks(("look", {})), PAN, says("Listo.")]):
        desk.write("pan")
        desk.write("sí")
    assert counts("aitools_turns_total", outcome="done") == 1
    assert counts("aitools_tool_calls_total", tool="look", outcome="result") == 1
    assert counts("aitools_tool_calls_total", tool="make", outcome="result") == 1
    assert counts("aitools_confirmations_total", outcome="requested") == 1
    assert counts("aitools_confirmations_total", outcome="approved") == 1
    assert counts("aitools_sends_total", channel="web", status="sent") == 2
    assert counts("aitools_model_seconds_count", kind="scripted") == 3


@pytest.mark.parametrize(
    ("answer", "outcome"), [("no", "denied"), ("¿cuánto?", "replied"), ("/reset", "cancelled"), (None, "expired")]
)
def test_questions_are_counted_by_what_became_of_them(
    desk: Desk, counts: Counts, answer: str | None, outcome: str
) -> None:
    with scripted.script([PAN, says("Vale.")] if answer in ("no", "¿cuánto?") else [PAN]):
        desk.write("pan")
        if answer is None:
            clock.shift(121)
            desk.sweep()
        else:
            desk.write(answer)
    assert counts("aitools_confirmations_total", outcome=outcome) == 1
    ended = "done" if answer in ("no", "¿cuánto?") else "cancelled"
    assert counts("aitools_turns_total", outcome=ended) == 1
    assert counts("aitools_confirmations_total", outcome="approved") == 0


def test_a_turn_that_a_person_takes_is_counted_as_cancelled(desk: Desk, counts: Counts) -> None:
    with scripted.script([PAN]):
        desk.write("pan")
    staffing.take_over(desk.conversation().pk)
    assert counts("aitools_turns_total", outcome="cancelled") == 1


def test_a_given_up_turn_is_counted(desk: Desk, counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_act", lambda *given: 1 / 0)
    desk.receive("hola")
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
    assert counts("aitools_turns_total", outcome="failed") == 1
    assert counts("aitools_loop_events_total", kind="turn.failed") == 1


def test_no_label_is_taken_from_a_model_or_a_customer(desk: Desk, counts: Counts) -> None:
    with scripted.script([asks(("palabras", {"secreto": 1})), asks(("look", {"palabras": 1})), says("palabras")]):
        desk.write("palabras", profile_name="palabras", phone="+573001234567")
    assert counts("aitools_tool_calls_total", tool="unknown", outcome="unknown") == 1
    assert counts("aitools_tool_calls_total", tool="look", outcome="invalid_args") == 1
    moved = " ".join(counts.series())
    assert "palabras" not in moved
    assert desk.address not in moved
    assert "573001234567" not in moved


def test_models_that_fail_are_counted_by_kind_of_error(desk: Desk, counts: Counts) -> None:
    with scripted.script([ProviderTransient("palabras", kind="overloaded")]):
        desk.write("hola")
    assert counts("aitools_model_failures_total", kind="scripted", error="overloaded") == 1
    assert counts("aitools_model_seconds_count", kind="scripted") == 0


def test_sends_are_counted_by_channel_and_fate(desk: Desk, counts: Counts, settings: object) -> None:
    faulty.move(desk, settings)
    faulty.VENDOR.outcomes.append(ChannelPermanent("refused", code="30005"))
    with scripted.script([says("Hola."), says("Hola.")]):
        desk.write("hola")
        desk.write("hola")
    assert counts("aitools_sends_total", channel=desk.channel, status="failed") == 1
    assert counts("aitools_sends_total", channel=desk.channel, status="sent") == 1


def test_a_lease_that_was_lost_is_counted(desk: Desk, counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(*given: object) -> bool:
        Conversation.objects.update(lease_token=None)
        return turns.leases.renew(given[0].lease, 1) or False  # type: ignore[attr-defined]

    monkeypatch.setattr(turns, "_act", lose)
    desk.receive("hola")
    turns.advance(desk.conversation().pk)
    assert counts("aitools_leases_lost_total") == 1


def test_only_sweeps_that_find_work_are_counted(desk: Desk, counts: Counts) -> None:
    desk.sweep()
    assert counts("aitools_sweeps_found_total", work="turns") == 0
    desk.receive("hola")
    desk.published.clear()
    with scripted.script([says("Hola.")]):
        desk.sweep()
    assert counts("aitools_sweeps_found_total", work="turns") == 1


def test_what_is_undone_is_not_counted(desk: Desk, counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: object, **fields: object) -> None:
        raise ZeroDivisionError

    desk.receive("hola")
    with monkeypatch.context() as while_broken, scripted.script([asks(("look", {})), says("Hola.")]):
        while_broken.setattr("aitools.outbox.enqueue", broken)
        with pytest.raises(ZeroDivisionError):
            turns.advance(desk.conversation().pk)
        assert counts("aitools_turns_total", outcome="done") == 0
    desk.sweep()
    assert counts("aitools_turns_total", outcome="done") == 1
    assert counts("aitools_tool_calls_total", tool="look", outcome="result") == 1


def test_counting_that_fails_is_logged_and_fails_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Full:
        def labels(self, *names: str) -> None:
            raise OSError(28, "No space left on device")

    for name in ("TURNS", "TOOLS", "CONFIRMATIONS", "SENDS", "MODEL_SECONDS", "EVENTS", "SWEEPS"):
        monkeypatch.setattr(metrics, name, Full())
    with scripted.script([PAN, says("Listo.")]):
        desk.write("pan")
        assert desk.write("sí") == ["Listo."]
    assert "turn_ended was not counted: OSError" in caplog.text


def test_counting_asks_the_database_nothing(desk: Desk) -> None:
    with CaptureQueriesContext(connection) as asked:
        metrics.turn_ended("done")
        metrics.tool_called("make", "result")
        metrics.model_replied("scripted", 0.2)
    assert len(asked) == 0


def test_a_message_for_a_channel_that_was_taken_away_fails_once(desk: Desk, counts: Counts, settings: object) -> None:
    desk.receive("hola", kind=EventKind.MESSAGE)
    with scripted.script([says("Hola.")]):
        turns.advance(desk.conversation().pk)
    settings.AITOOLS_CHANNELS = {}  # type: ignore[attr-defined]
    sending.deliver(desk.conversation().pk)
    assert counts("aitools_sends_total", channel="web", status="failed") == 1
    assert desk.conversation().needs_staff
