"""Questions and answers: what counts, when, from whom, and what happens at the edges."""

import json
from pathlib import Path

import pytest
from django.db import IntegrityError

from aitools import clock, inbox, staffing
from aitools.answers import read
from aitools.channels.base import EventKind, InboundMessage
from aitools.models import BotProfile, InboundEvent, OutboundMessage, PendingConfirmation, ToolCall
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import Tool, registry
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))
AGAIN = "¿Confirmas?"


def asked(desk: Desk) -> str:
    with scripted.script([ORDER]):
        (question,) = desk.write("2 panes")
    return question


def test_a_pressed_yes_is_a_yes(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        assert desk.press("yes") == ["Listo."]
    assert len(parts.things()) == 1


def test_a_double_press_orders_once(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        desk.receive("Sí", kind=EventKind.PRESS, payload=f"confirm:{desk.question().key}:yes")
        desk.receive("Sí", kind=EventKind.PRESS, payload=f"confirm:{desk.question().key}:yes")
        desk.drain()
    assert len(parts.things()) == 1


def test_buttons_only_where_the_channel_has_them(desk: Desk) -> None:
    desk.channel = "plain"
    assert asked(desk).endswith("¿Confirmas? (sí/no)")


def test_a_yes_press_beside_other_text_is_something_else(desk: Desk) -> None:
    asked(desk)
    desk.receive("Sí", kind=EventKind.PRESS, payload=f"confirm:{desk.question().key}:yes")
    desk.receive("pero sin azúcar")
    with scripted.script([says("¿Sin azúcar?")]):
        desk.drain()
    assert parts.things() == []
    assert desk.calls() == [("make", "replied")]


def test_the_clock_of_a_question_starts_at_its_first_send(desk: Desk) -> None:
    asked(desk)
    question = desk.question()
    assert question.asked_at is not None
    assert question.expires_at is not None
    assert (question.expires_at - question.asked_at).total_seconds() == 120


def test_an_unanswered_question_expires_without_an_effect(desk: Desk) -> None:
    asked(desk)
    clock.shift(121)
    (notice,) = desk.sweep()
    assert notice.startswith("Se acabó el tiempo para responder mi pregunta, así que eso no se hizo.")
    assert desk.question().state == "expired"
    assert desk.turn().state == "cancelled"
    assert desk.sweep() == []


def test_a_late_yes_orders_nothing_and_is_asked_again_with_fresh_prices(desk: Desk) -> None:
    asked(desk)
    clock.shift(121)
    parts.PRICES["each"] = 6
    (question,) = desk.write("sí")
    assert question.startswith("Te pregunto de nuevo")
    assert "Total: 12" in question
    assert parts.things() == []
    with scripted.script([says("Listo.")]):
        assert desk.write("sí") == ["Listo."]
    assert len(parts.things()) == 1


def test_a_late_yes_after_the_notice_is_asked_again_too(desk: Desk) -> None:
    asked(desk)
    clock.shift(121)
    desk.sweep()
    assert AGAIN in desk.write("sí")[0]


def test_an_answer_in_time_counts_however_late_it_is_read(desk: Desk) -> None:
    asked(desk)
    desk.receive("sí")
    desk.published.clear()
    clock.shift(600)
    with scripted.script([says("Listo.")]):
        assert desk.sweep() == ["Listo."]
    assert len(parts.things()) == 1


def test_a_second_yes_is_told_what_was_done(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        desk.write("sí")
    assert desk.write("sí") == ["Eso ya está confirmado. Hecho: 2 × pan."]
    assert desk.write("ok") == ["Eso ya está confirmado. Hecho: 2 × pan."]
    assert len(parts.things()) == 1


def test_a_yes_written_before_the_question_was_sent_is_no_answer(desk: Desk) -> None:
    asked(desk)
    PendingConfirmation.objects.update(asked_at=None, expires_at=None)
    with scripted.script([says("¿Qué confirmas?")]):
        desk.write("sí")
    assert parts.things() == []


def test_a_yes_under_a_newer_message_is_asked_again(desk: Desk) -> None:
    asked(desk)
    OutboundMessage.objects.create(conversation=desk.conversation(), text="Tu torta está lista", kind="notice")
    (question,) = desk.write("sí")[-1:]
    assert question.startswith("Te pregunto de nuevo")
    assert parts.things() == []
    assert desk.events() == ["tool.confirm.requested", "tool.confirm.cancelled", "tool.confirm.requested"]


def test_a_price_that_changed_is_asked_again_and_not_run(desk: Desk) -> None:
    asked(desk)
    parts.PRICES["each"] = 7
    (question,) = desk.write("sí")
    assert question.startswith("Algo cambió")
    assert "Total: 14" in question
    assert parts.things() == []
    assert "tool.changed" in desk.events()
    with scripted.script([says("Listo.")]):
        desk.write("sí")
    assert len(parts.things()) == 1


def test_a_tool_that_changed_meanwhile_apologises_and_runs_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(desk)
    newer = Tool(**{name: getattr(parts.MAKE, name) for name in parts.MAKE.__slots__} | {"version": 2})
    monkeypatch.setitem(registry._tools, "make", newer)
    assert desk.write("sí")[0].startswith("Disculpa, ya no puedo hacerlo")
    assert parts.things() == []


def test_stored_arguments_that_were_altered_do_not_run(desk: Desk) -> None:
    asked(desk)
    ToolCall.objects.update(arguments={"name": "pan", "count": 500})
    desk.write("sí")
    assert parts.things() == []


def test_when_the_model_fails_after_the_yes_our_code_tells_the_result(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says(""), says("")]):
        assert desk.write("sí") == ["Hecho: 2 × pan."]


def test_reset_cancels_the_question_and_starts_afresh(desk: Desk) -> None:
    asked(desk)
    assert desk.write("/reset") == ["Listo, empezamos de nuevo. ¿Qué te gustaría?"]
    assert desk.question().state == "cancelled"
    with scripted.script([says("¿Sí a qué?")]) as script:
        assert desk.write("sí") == ["¿Sí a qué?"]
    assert len(script.calls[0].messages) == 1
    assert parts.things() == []


def test_reset_after_the_approval_and_before_the_run_does_nothing_more(desk: Desk) -> None:
    asked(desk)
    ToolCall.objects.update(state="approved")
    desk.write("/reset")
    assert desk.calls() == [("make", "cancelled")]
    assert parts.things() == []


def test_reset_never_hides_an_effect_that_happened(desk: Desk) -> None:
    asked(desk)

    def reset_before_the_reply(request: object) -> object:
        desk.receive("/reset")
        return says("Listo.")

    with scripted.script([reset_before_the_reply]):  # type: ignore[list-item]
        said = desk.write("sí")
    assert len(parts.things()) == 1
    assert said == [
        "Ten en cuenta que esto ya se hizo: Hecho: 2 × pan.",
        "Listo, empezamos de nuevo. ¿Qué te gustaría?",
    ]


def test_a_stop_word_opts_out_before_it_means_no(desk: Desk) -> None:
    desk.channel = "plain"
    asked(desk)
    assert desk.write("Baja") == []
    conversation = desk.conversation()
    assert conversation.opted_out_at is not None
    assert desk.question().state == "cancelled"
    assert desk.write("hola") == []
    assert desk.conversation().needs_staff


def test_who_opted_out_comes_back_with_a_word(desk: Desk) -> None:
    desk.channel = "plain"
    desk.receive("¡Stop!")
    assert desk.write("start") == ["¡Qué bueno tenerte de vuelta! ¿Qué te gustaría?"]
    with scripted.script([says("Hola.")]):
        assert desk.write("hola") == ["Hola."]


def test_a_person_taking_over_silences_the_bot(desk: Desk) -> None:
    asked(desk)
    staffing.take_over(desk.conversation().pk)
    assert desk.write("sí") == []
    assert parts.things() == []
    assert desk.conversation().needs_staff
    staffing.hand_back(desk.conversation().pk)
    with scripted.script([says("Aquí estoy.")]):
        assert desk.write("hola") == ["Aquí estoy."]


def test_the_bot_returns_after_the_set_time(desk: Desk) -> None:
    with scripted.script([says("Hola.")]):
        desk.write("hola")
    staffing.take_over(desk.conversation().pk, minutes=10)
    assert desk.write("¿hay alguien?") == []
    clock.shift(601)
    with scripted.script([says("Soy el bot.")]):
        assert desk.write("¿hola?") == ["Soy el bot."]


def test_the_set_time_runs_from_the_persons_last_words(desk: Desk, profile: BotProfile) -> None:
    BotProfile.objects.update(human_minutes=10)
    desk.receive("hola")
    pk = desk.conversation().pk
    staffing.write_as_staff(pk, "Soy Olga.")
    clock.shift(500)
    staffing.write_as_staff(pk, "Ya casi está.")
    clock.shift(700)
    assert desk.write("¿cuánto falta?") == []
    clock.shift(1101)
    with scripted.script([says("Soy el bot.")]):
        assert desk.write("¿hola?") == ["Soy el bot."]


def test_words_of_a_person_never_shorten_the_time(desk: Desk) -> None:
    desk.receive("hola")
    pk = desk.conversation().pk
    staffing.take_over(pk, minutes=0)
    staffing.write_as_staff(pk, "Soy Olga.")
    assert desk.conversation().mode_until is None


def test_with_the_bot_off_customers_read_what_staff_wrote(desk: Desk) -> None:
    BotProfile.objects.update(bot_on=False, off_text="Hoy atendemos por teléfono.")
    assert desk.write("hola") == ["Hoy atendemos por teléfono."]
    assert desk.write("¿hola?") == []
    assert desk.conversation().needs_staff


def test_with_the_bot_off_and_no_text_of_staff_nobody_meets_silence(desk: Desk) -> None:
    BotProfile.objects.update(bot_on=False)
    assert desk.write("hola") == ["Tenemos tu mensaje. Una persona te responderá aquí."]


def test_an_echo_of_the_shops_phone_counts_as_a_person(desk: Desk) -> None:
    asked(desk)
    desk.receive("Yo le atiendo", kind=EventKind.ECHO)
    assert desk.write("sí") == []
    assert parts.things() == []


def test_the_same_order_again_begins_with_a_heads_up(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        desk.write("sí")
    with scripted.script([ORDER]):
        (question,) = desk.write("otros 2 panes")
    assert question.startswith("Ojo: ya hice «Hacer» hace un momento (resultado: Hecho: 2 × pan).")


def test_undoing_it_forgets_that_it_was_done(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo."), asks(("undo", {"name": "pan"})), says("Deshecho."), ORDER]):
        desk.write("sí")
        desk.write("cancélalo")
        desk.write("sí")
        (question,) = desk.write("mejor sí, 2 panes")
    assert question.startswith("Voy a: Hacer")


def test_the_database_itself_allows_only_one_open_question(desk: Desk) -> None:
    asked(desk)
    first = desk.question()
    copy = {f.name: getattr(first, f.name) for f in first._meta.fields}
    with pytest.raises(IntegrityError, match="confirmation_one_pending"):
        PendingConfirmation.objects.create(**copy | {"call": other_call(first), "message": other_message(first)})


def other_call(question: PendingConfirmation) -> ToolCall:
    call = question.call
    return ToolCall.objects.create(turn=call.turn, step=call.step, position=9, name=call.name)


def other_message(question: PendingConfirmation) -> OutboundMessage:
    return OutboundMessage.objects.create(conversation=question.conversation, text="otra", kind="question")


def test_garbage_never_breaks_the_inbox(desk: Desk) -> None:
    texts = ["", "🥐" * 50, "\x00\x00", "\ud800 roto", "x" * 5000, "{total} {0} %s {{x}}"]
    with scripted.script([says("¿Cómo?")] * 4):
        for text in texts:
            assert desk.write(text), repr(text[:20])


def test_pictures_alone_get_one_polite_line_and_no_model(desk: Desk) -> None:
    desk.receive("", message_kind="image")
    desk.receive("", message_kind="sticker")
    desk.drain()
    assert desk.said() == ["Solo puedo leer texto. Escríbemelo, por favor."]


def test_reactions_stay_silent(desk: Desk) -> None:
    assert desk.write("", message_kind="reaction") == []


def test_one_broken_event_does_not_lose_its_neighbours(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = inbox._receive

    def fragile(event: object) -> int:
        if event.text == "roto":  # type: ignore[attr-defined]
            raise RuntimeError
        return real(event)  # type: ignore[arg-type]

    monkeypatch.setattr(inbox, "_receive", fragile)
    made = [
        InboundMessage(EventKind.MESSAGE, "web", f"m{n}", address="visitor-1", text=text)
        for n, text in enumerate(["uno", "roto", "dos"])
    ]
    assert inbox.receive(made) == 3
    stored = InboundEvent.objects.order_by("id").values_list("text", "state")
    assert list(stored) == [("uno", "bot"), ("roto", "staff"), ("dos", "bot")]


CASES = Path(__file__).parent.parent / "cases" / "confirmations.jsonl"


@pytest.mark.parametrize("case", [json.loads(line) for line in CASES.read_text().splitlines()], ids=lambda c: c["text"])
def test_the_frozen_lists_read_every_known_answer(case: dict[str, str]) -> None:
    assert read(case["text"]) == case["label"]


def test_an_approved_call_that_breaks_is_told_and_shown_to_staff(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(args: object, ctx: object) -> None:
        raise RuntimeError("Ana's words")

    fields = {name: getattr(parts.MAKE, name) for name in parts.MAKE.__slots__}
    monkeypatch.setitem(registry._tools, "make", Tool(**fields | {"handler": broken}))
    asked(desk)
    with scripted.script([says(""), says("")]):
        (told,) = desk.write("sí")
    assert told.startswith("Disculpa, algo falló")
    assert desk.conversation().needs_staff


def test_a_broken_handlers_words_stay_out_of_the_log(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(args: object, ctx: object) -> None:
        raise RuntimeError("words of Ana")

    fields = {name: getattr(parts.MAKE, name) for name in parts.MAKE.__slots__}
    monkeypatch.setitem(registry._tools, "make", Tool(**fields | {"handler": broken}))
    asked(desk)
    with scripted.script([says("No pude.")]):
        desk.write("sí")
    assert "RuntimeError in broken" in caplog.text
    assert "words of Ana" not in caplog.text


def test_a_press_of_an_old_question_is_told_so_where_buttons_stay(desk: Desk) -> None:
    desk.channel = "plain"
    asked(desk)
    assert desk.press("yes", key="00000000-0000-0000-0000-000000000000") == ["Esa pregunta ya quedó resuelta."]
    assert desk.question().state == "pending"


def test_another_amount_for_the_same_arguments_is_no_repetition(desk: Desk) -> None:
    asked(desk)
    with scripted.script([says("Listo.")]):
        desk.write("sí")
    parts.PRICES["each"] = 9
    with scripted.script([ORDER]):
        (question,) = desk.write("otros 2 panes")
    assert question.startswith("Voy a: Hacer")


def test_a_settled_question_is_not_sent_again(desk: Desk) -> None:
    asked(desk)
    desk.write("/reset")
    OutboundMessage.objects.filter(kind="question").update(state="failed")
    staffing.retry_send(desk.question().message_id)
    assert OutboundMessage.objects.get(kind="question").state == "failed"
