"""Accepting what comes in: once, whatever it is, and never losing it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError

from aitools import asides, clock, inbox, languages, metrics, outbox, staffing, statuses, turns
from aitools.channels.base import DeliveryStatus, EventKind, InboundMessage
from aitools.models import BotProfile, Conversation, InboundEvent, OutboundMessage, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import registry
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan"}))
STILL = "Ten en cuenta que esto ya se hizo: Hecho: 1 × pan."


def event(text: str = "hola", provider_id: str = "SM1", **fields: Any) -> InboundMessage:
    fields = {"kind": EventKind.MESSAGE, "address": "visitor-1"} | fields
    return InboundMessage(channel="web", provider_id=provider_id, text=text, **fields)


def test_talk_is_numbered_in_order_of_arrival(desk: Desk) -> None:
    for text in ("uno", "dos", "tres"):
        desk.receive(text)
    rows = InboundEvent.objects.order_by("id").values_list("text", "seq", "state")
    assert list(rows) == [("uno", 1, "bot"), ("dos", 2, "bot"), ("tres", 3, "bot")]
    conversation = desk.conversation()
    assert (conversation.inbox_seq, conversation.read_seq) == (3, 0)


def test_only_new_events_are_counted(desk: Desk) -> None:
    assert inbox.receive([event(), event(), event(provider_id="SM2")]) == 2
    assert inbox.receive([event()]) == 0


def test_a_repeat_of_an_unread_message_wakes_again(desk: Desk) -> None:
    inbox.receive([event()])
    desk.published.clear()
    inbox.receive([event()])
    assert len(desk.published) == 1


def test_both_times_are_kept(desk: Desk) -> None:
    written_at = clock.now()
    clock.shift(600)
    inbox.receive([event(sent_at=written_at)])
    row = InboundEvent.objects.get()
    assert row.sent_at == written_at
    assert (row.received_at - written_at).total_seconds() == pytest.approx(600, abs=5)


@pytest.mark.parametrize("text", ["hola", "/reset"])
def test_the_window_runs_from_when_the_customer_wrote(desk: Desk, text: str) -> None:
    """Plain talk is stored in one statement, a reset with care: both count the same."""
    desk.receive("buenas")
    first = desk.conversation().last_inbound_at
    clock.shift(7200)
    arrived, hour = clock.now(), timedelta(hours=1)
    desk.receive(text, sent_at=arrived - hour)
    assert desk.conversation().last_inbound_at == arrived - hour
    desk.receive(text, sent_at=arrived - 9 * hour)
    assert desk.conversation().last_inbound_at == arrived - hour
    desk.receive(text, sent_at=arrived + 9 * hour)
    now = desk.conversation().last_inbound_at
    assert first is not None
    assert now is not None
    assert first < now < arrived + hour


def test_a_first_message_that_comes_late_opens_what_is_left_of_the_window(desk: Desk) -> None:
    wrote = clock.now() - timedelta(hours=30)
    desk.receive("hola", sent_at=wrote)
    assert desk.conversation().last_inbound_at == wrote


def test_a_senders_name_can_not_turn_the_line_around(desk: Desk) -> None:
    inbox.receive([event(profile_name="Ana\u202e\n María ")])
    assert desk.conversation().profile_name == "Ana María"


def test_a_name_of_nothing_to_see_is_no_name(desk: Desk) -> None:
    inbox.receive([event(profile_name="Ana"), event(profile_name="\u202e\u2066", provider_id="SM2")])
    assert desk.conversation().profile_name == "Ana"


def test_a_fault_that_stores_nothing_is_the_vendors_to_repeat(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*args: object) -> None:
        raise OperationalError

    monkeypatch.setattr(inbox, "_receive", down)
    with pytest.raises(OperationalError):
        inbox.receive([event()])


def test_talk_that_a_fault_of_ours_can_not_take_is_left_to_staff(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Accepted with 200 and never lost without a trace: its neighbours are answered, and staff read what came."""
    real = inbox._receive

    def broken(one: InboundMessage) -> int:
        if one.text == "raro":
            raise ValueError(f"can't take {one.text}")
        return real(one)

    monkeypatch.setattr(inbox, "_receive", broken)
    for _ in range(2):
        inbox.receive([event("hola"), event("raro", provider_id="SM2")])
    assert list(InboundEvent.objects.order_by("id").values_list("state", "message_kind", "text")) == [
        ("bot", "text", "hola"),
        ("staff", "unsupported", "raro"),
    ]
    assert desk.conversation().needs_staff
    assert "raro" not in caplog.text


def test_what_can_not_even_be_left_to_staff_is_the_vendors_to_repeat(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> int:
        raise ValueError

    monkeypatch.setattr(inbox, "_receive", broken)
    monkeypatch.setattr(inbox, "_conversation", broken)
    with pytest.raises(ValueError, match=r"^$"):
        inbox.receive([event(), event(kind=EventKind.OPT_OUT, provider_id="SM2")])


ALL_BUT_TALK = [EventKind.SYSTEM, EventKind.ECHO, EventKind.OPT_OUT, EventKind.OPT_IN, EventKind.STATUS]


@pytest.mark.parametrize("kind", [EventKind.MESSAGE, *ALL_BUT_TALK])
def test_a_fault_that_passes_costs_nothing(kind: EventKind, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real, faults = inbox._receive, [IntegrityError("another worker moved them first")]

    def broken_once(one: InboundMessage) -> int:
        if one.kind == kind and faults:
            raise faults.pop()
        return real(one)

    monkeypatch.setattr(inbox, "_receive", broken_once)
    assert inbox.receive([event(kind=kind, status=DeliveryStatus.SENT), event(provider_id="SM2")]) == 2
    assert not InboundEvent.objects.filter(message_kind="unsupported").exists()


def breaks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Whatever comes in breaks our code; what is counted as set aside."""

    def broken(*given: object) -> int:
        raise ValueError

    counted: list[str] = []
    monkeypatch.setattr(inbox, "_receive", broken)
    monkeypatch.setattr(statuses, "apply_status", broken)
    monkeypatch.setattr(metrics, "set_aside", lambda channel, kind: counted.append(kind))
    return counted


@pytest.mark.parametrize("kind", [EventKind.SYSTEM, EventKind.ECHO, EventKind.OPT_OUT, EventKind.OPT_IN])
def test_what_our_code_can_not_take_is_set_aside_for_staff_and_not_repeated_for_days(
    kind: EventKind, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = breaks(monkeypatch)
    assert [inbox.receive([event(kind=kind)]) for _ in range(2)] == [1, 0]
    row = InboundEvent.objects.get()
    assert (row.kind, row.state, row.message_kind, row.text) == (kind, "staff", "unsupported", "hola")
    assert desk.conversation().needs_staff
    assert counted == [kind, kind]


def test_words_that_can_not_be_stored_keep_nothing_from_being_set_aside(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks(monkeypatch)
    keep = asides.keep

    def broken_by_words(*given: Any) -> bool:
        if given[-1]:
            raise ValueError
        return keep(*given)

    monkeypatch.setattr(asides, "keep", broken_by_words)
    assert inbox.receive([event("raro")]) == 1
    assert InboundEvent.objects.get().text == ""


@pytest.mark.parametrize("fields", [{"kind": EventKind.OPT_OUT}, {"text": "Stop"}])
def test_who_leaves_is_written_to_no_more_whatever_breaks(
    fields: dict[str, Any], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.channel = "plain"
    desk.receive("hola")
    before = desk.conversation()
    breaks(monkeypatch)
    inbox.receive([replace(event(provider_id="SM2", **fields), channel="plain")])
    after = desk.conversation()
    assert after.opted_out_at is not None
    assert after.epoch > before.epoch


@pytest.mark.parametrize(
    ("status", "error_kind", "seen", "left"),
    [("sent", "", False, False), ("failed", "permanent", True, False), ("failed", "opt_out", True, True)],
)
def test_of_a_status_that_breaks_staff_hear_if_it_tells_of_a_failure(
    status: str, error_kind: str, seen: bool, left: bool, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.receive("hola")
    message = outbox.enqueue(desk.conversation(), "¡Hola!")
    real = inbox._receive
    counted = breaks(monkeypatch)
    monkeypatch.setattr(inbox, "_receive", real)
    fields = {"status": DeliveryStatus(status), "outbox_id": str(message.key), "error_kind": error_kind}
    inbox.receive([event("", kind=EventKind.STATUS, address="", provider_id="SM2:x", **fields)])
    conversation = desk.conversation()
    assert (conversation.needs_staff, conversation.opted_out_at is not None) == (seen, left)
    assert (counted, InboundEvent.objects.get(kind="status").state) == (["status"], "unread")


def test_talk_that_can_not_be_left_to_staff_is_repeated_beside_what_is_stored(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = inbox._receive

    def broken(one: InboundMessage) -> int:
        if one.text == "raro":
            raise ValueError
        return real(one)

    def failing(*given: object) -> bool:
        raise ValueError

    monkeypatch.setattr(inbox, "_receive", broken)
    monkeypatch.setattr(asides, "keep", failing)
    with pytest.raises(ValueError, match=r"^$"):
        inbox.receive([event("raro"), event("hola", provider_id="SM2")])
    assert InboundEvent.objects.get().text == "hola"


def test_what_is_left_to_staff_counts_once_as_unsupported(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(one: InboundMessage) -> int:
        raise ValueError

    counted: list[str] = []
    monkeypatch.setattr(inbox, "_receive", broken)
    monkeypatch.setattr(metrics, "unsupported", counted.append)
    for _ in range(2):
        inbox.receive([event()])
    assert counted == ["web"]


def test_the_same_address_on_another_account_is_another_conversation(desk: Desk) -> None:
    inbox.receive([event(account="shop-1"), event(provider_id="SM2", account="shop-2")])
    assert Conversation.objects.count() == 2


def test_a_press_does_not_wait_for_the_burst_to_settle(desk: Desk) -> None:
    BotProfile.objects.update(settle_seconds=3)
    inbox.receive([event("Sí", kind=EventKind.PRESS, payload="confirm:x:yes")])
    conversation = desk.conversation()
    assert conversation.wake_at is not None
    assert conversation.wake_at <= clock.now()


@pytest.mark.parametrize("text", ["/reset", " /RESET ", "/Reset\n"])
def test_a_reset_is_no_talk(desk: Desk, text: str) -> None:
    assert desk.write(text) == ["Listo, empezamos de nuevo. ¿Qué te gustaría?"]
    assert not Turn.objects.exists()


@pytest.mark.parametrize(("minutes_left", "answers"), [(-1, 1), (1, 0)])
def test_a_reset_is_answered_once_the_persons_time_is_over(desk: Desk, minutes_left: int, answers: int) -> None:
    desk.receive("/reset")
    desk.drain()
    Conversation.objects.update(mode="human", mode_until=clock.now() + timedelta(minutes=minutes_left))
    assert len(desk.write("/reset")) == answers


def test_what_is_written_by_who_opted_out_is_left_to_staff(desk: Desk) -> None:
    inbox.receive([event(kind=EventKind.OPT_OUT)])
    inbox.receive([event(provider_id="SM2")])
    conversation = desk.conversation()
    assert (conversation.has_unread, conversation.needs_staff) == (False, True)
    assert InboundEvent.objects.latest("id").state == "staff"


def test_talk_that_a_take_over_overtakes_is_seen_by_staff(desk: Desk) -> None:
    """It was stored for the bot, and before a worker came the person was there."""
    desk.receive("hola")
    Conversation.objects.update(mode="human")
    desk.drain()
    assert desk.said() == []
    assert InboundEvent.objects.get().state == "staff"
    assert desk.conversation().needs_staff


def test_what_the_bot_had_not_read_yet_is_staffs_with_the_rest(desk: Desk) -> None:
    """Else it would turn up in the burst that the bot reads days later."""
    desk.receive("uno")
    BotProfile.objects.update(bot_on=False)
    desk.receive("dos")
    assert set(InboundEvent.objects.values_list("state", flat=True)) == {"staff"}
    BotProfile.objects.update(bot_on=True)
    with scripted.script([says("Hola.")]):
        desk.write("tres")
    assert desk.turn().text == "tres"


def test_a_profile_name_is_made_fit_to_store(desk: Desk) -> None:
    inbox.receive([event(profile_name=" Ana\x00\ud800 " + "x" * 300)])
    name = desk.conversation().profile_name
    assert name.startswith("Ana\ufffd ")
    assert len(name) == 120


def test_the_first_clear_language_stays_until_another_is_clear(desk: Desk) -> None:
    with scripted.script([says("Hi.")] * 3) as script:
        for text in ("hi, I would like two croissants", "ok", "mejor quiero dos panes, gracias"):
            desk.write(text)
    assert [request.language for request in script.calls] == ["en", "en", "es"]


def test_staffs_choice_of_language_stays(desk: Desk) -> None:
    with scripted.script([says("Hola.")] * 2) as script:
        desk.write("hola")
        staffing.set_language(desk.conversation().pk, "en")
        desk.write("quiero dos panes, gracias")
    assert script.calls[1].language == "en"
    assert languages.detect("quiero dos panes, gracias") == "es"


# What ends a turn early never hides what it did.


def done_and_not_told(desk: Desk) -> None:
    """The first of two effects is done; the second is asked about, so nobody told of the first."""
    both = asks(("make", {"name": "pan"}), ("make", {"name": "té"}))
    with scripted.script([both]):
        desk.write("pan y té")
        desk.write("sí")


def test_an_expiry_tells_what_was_done_before(desk: Desk) -> None:
    done_and_not_told(desk)
    clock.shift(121)
    assert STILL in desk.sweep()
    assert len(parts.things()) == 1


def test_a_late_yes_tells_what_was_done_before_it_asks_again(desk: Desk) -> None:
    done_and_not_told(desk)
    clock.shift(121)
    told, question = desk.write("sí")
    assert told == STILL
    assert "té" in question


def test_a_person_who_takes_over_hides_nothing(desk: Desk) -> None:
    done_and_not_told(desk)
    assert desk._during(lambda: staffing.take_over(desk.conversation().pk)) == [STILL]


def test_a_changed_tool_hides_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    done_and_not_told(desk)
    newer = replace(parts.MAKE, version=2)
    monkeypatch.setitem(registry._tools, "make", newer)
    told, sorry = desk.write("sí")
    assert (told, sorry[:9]) == (STILL, "Disculpa,")


def test_a_reset_tells_what_a_withdrawn_reply_would_have_told(desk: Desk) -> None:
    with scripted.script([ORDER, says("Listo.")]):
        desk.write("pan")
        desk.receive("sí")
        turns.advance(desk.conversation().pk)
        assert desk.said()[-1] == "Listo."
        desk.published.clear()
        desk.write("/reset")
    assert desk.said()[1:] == [STILL, "Listo, empezamos de nuevo. ¿Qué te gustaría?"]
    assert OutboundMessage.objects.get(text="Listo.").state == "withdrawn"


def test_a_second_reset_tells_it_again_when_the_first_could_not(desk: Desk) -> None:
    done_and_not_told(desk)
    desk.receive("/reset")
    desk.receive("/reset")
    desk.drain()
    assert desk.said()[-2:] == [STILL, "Listo, empezamos de nuevo. ¿Qué te gustaría?"]


def test_a_report_that_breaks_stops_neither_the_reset_nor_the_telling(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    done_and_not_told(desk)
    ToolCall.objects.filter(state="done").update(value={})
    assert desk.write("/reset")[0] == "Ten en cuenta que esto ya se hizo: Listo: Hacer."


# A burst is one answer.


@pytest.mark.parametrize(
    ("burst", "made"),
    [
        (["sí"], 1),
        (["sí", "por favor"], 1),
        (["sí", "pero con azúcar"], 0),
        (["sí", "no"], 0),
        (["sí", "[image]"], 0),
        (["sí", "[audio]"], 0),
        (["yes!", "no!"], 0),
        (["yes!", "yes!"], 1),
        (["yes!", "sí"], 0),
    ],
)
def test_a_burst_is_read_as_a_whole(desk: Desk, burst: list[str], made: int) -> None:
    """ "yes!" and "no!" are presses, words in brackets are kinds of media."""
    with scripted.script([ORDER, says("Bien.")]):
        desk.write("pan")
        for said in burst:
            answer(desk, said)
        desk.drain()
    assert len(parts.things()) == made


def answer(desk: Desk, said: str) -> None:
    if said.endswith("!"):
        desk.receive("x", kind=EventKind.PRESS, payload=f"confirm:{desk.question().key}:{said[:-1]}")
    elif said.startswith("["):
        desk.receive("", message_kind=said.strip("[]"))
    else:
        desk.receive(said)
