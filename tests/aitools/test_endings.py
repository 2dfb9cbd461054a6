"""How a turn ends when the model has no answer: defined words in the customer's language, an event, no dead end."""

from __future__ import annotations

import pytest

from aitools import behaviour
from aitools.errors import ProviderPermanent
from aitools.loop import NUDGE_SUMMARY
from aitools.models import BotProfile, Conversation
from aitools.providers import scripted
from aitools.providers.base import EndpointConfig
from aitools.providers.scripted import Line, asks, says
from aitools.types import ModelReply, Nudge, Stop, ToolRequest
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

CUT = ModelReply(tool_calls=(ToolRequest("look", {}),), stop=Stop.LENGTH)
OVERFLOW = ProviderPermanent("too long", kind="context_overflow")
BUSY: list[Line] = [asks(("look", {})), asks(("look", {}))]
#: What the model does; how the answer begins in Spanish and English; the event; whether staff are told.
ENDINGS: dict[str, tuple[list[Line], str, str, str, bool]] = {
    "it says nothing": ([says(""), says(" ")], "Disculpa, no pude", "Sorry, I could not", "reply.empty", False),
    "it refuses": (
        [ModelReply("No.", stop=Stop.REFUSAL)],
        "Disculpa, con eso no puedo ayudar",
        "Sorry, I can't help",
        "reply.refused",
        True,
    ),
    "it is filtered": (
        [ModelReply("x", stop=Stop.CONTENT_FILTER)],
        "Disculpa, de eso no puedo escribir",
        "Sorry, I can't write about that",
        "reply.filtered",
        True,
    ),
    "it can not read that much": (
        [OVERFLOW],
        "Disculpa, es más de lo que",
        "Sorry, that is more than I can read",
        "reply.overflow",
        True,
    ),
    "its calls are cut": (
        [CUT, CUT],
        "Disculpa, eso fue demasiado",
        "Sorry, that was too long",
        "tool.truncated",
        False,
    ),
    "its text is cut": (
        [ModelReply("Hay", stop=Stop.LENGTH)] * 2,
        "Disculpa, eso fue demasiado",
        "Sorry, that was too long",
        "reply.truncated",
        False,
    ),
    "it never comes to an end": (
        BUSY,
        "Esto me está llevando demasiados",
        "This is taking me too many",
        "loop.max_steps",
        False,
    ),
    "it makes things up": (
        [says("Tu total es $99.999.")] * 2,
        "Prefiero no decirte algo",
        "I don't want to tell you",
        "reply.guarded",
        False,
    ),
}


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("name", ENDINGS)
def test_each_ending_has_its_words_its_event_and_says_whether_staff_must_look(
    desk: Desk, name: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The offline order taker is left out: it reads any length, so after it nothing would be too long."""
    monkeypatch.setattr(behaviour, "endpoints", lambda profile: [EndpointConfig("scripted", timeout_seconds=30)])
    lines, spanish, english, event, for_staff = ENDINGS[name]
    Conversation.objects.create(channel="web", address=desk.address, language=language, language_fixed=True)
    BotProfile.objects.update(max_steps=2)
    with scripted.script(lines):
        (said,) = desk.write("hola")
    assert said.startswith(spanish if language == "es" else english)
    assert event in desk.events()
    assert (desk.turn().state, desk.conversation().needs_staff) == ("done", for_staff)


def test_a_talk_too_long_for_every_model_is_left_to_the_order_taker(desk: Desk) -> None:
    with scripted.script([OVERFLOW]):
        assert desk.write("hola")
    assert desk.events() == ["provider.fallback"]


def test_a_model_is_asked_five_times_unless_the_profile_says_otherwise(desk: Desk) -> None:
    with scripted.script(lambda request: asks(("look", {}))) as script:
        desk.write("hola")
    assert len(script.calls) == 5
    assert [state for _, state in desk.calls()][-1] == "refused"


def test_a_profile_may_have_what_was_found_summed_up_at_the_limit(desk: Desk) -> None:
    """One request more, without tools; its answer is the customer's, and the limit is in the audit."""
    BotProfile.objects.update(max_steps=1, sums_up=True)
    with scripted.script([asks(("look", {})), says("No alcancé a mirar; ¿qué buscas?")]) as script:
        assert desk.write("¿qué hay?") == ["No alcancé a mirar; ¿qué buscas?"]
    assert (bool(script.calls[0].tools), script.calls[1].tools) == (True, ())
    assert script.calls[1].messages[-1] == Nudge(NUDGE_SUMMARY)
    assert "loop.max_steps" in desk.events()


def test_a_sum_that_asks_for_tools_again_ends_with_our_own_words(desk: Desk) -> None:
    BotProfile.objects.update(max_steps=1, sums_up=True)
    with scripted.script([asks(("look", {})), asks(("look", {}))]):
        (said,) = desk.write("¿qué hay?")
    assert said.startswith("Esto me está llevando demasiados")
    assert parts.LOOKED == []


def test_calls_that_were_cut_off_are_a_warning_in_the_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    with scripted.script([CUT, says("Hola.")]):
        desk.write("hola")
    (warning,) = [record for record in caplog.records if "was cut" in record.getMessage()]
    assert warning.levelname == "WARNING"


def test_the_model_is_told_that_its_calls_were_cut_off(desk: Desk) -> None:
    with scripted.script([CUT, says("Hola.")]) as script:
        desk.write("hola")
    assert "cut by the output limit; nothing was run" in str(script.calls[1].messages[-1])


def test_what_no_result_backs_is_corrected_before_the_customer_reads_it(desk: Desk) -> None:
    with scripted.script([says("Tu pedido ya quedó registrado."), says("¿Qué te gustaría?")]) as script:
        assert desk.write("hola") == ["¿Qué te gustaría?"]
    assert isinstance(script.calls[1].messages[-1], Nudge)
    assert desk.events() == ["reply.guarded"]


def test_a_profile_may_let_every_reply_through(desk: Desk) -> None:
    BotProfile.objects.update(guards_replies=False)
    with scripted.script([says("Tu pedido ya quedó registrado.")]):
        assert desk.write("hola") == ["Tu pedido ya quedó registrado."]


def test_a_read_that_is_repeated_gets_the_earlier_result_with_a_hint(desk: Desk) -> None:
    with scripted.script([asks(("look", {})), asks(("look", {})), says("Pan.")]) as script:
        desk.write("¿qué hay?")
    assert "Same call as before in this turn" in str(script.calls[2].messages[-1])
    assert desk.events().count("tool.duplicate") == 1


def test_a_read_runs_again_after_an_effect_and_after_a_message_of_the_customer(desk: Desk) -> None:
    first, again = asks(("look", {}), ("make", {"name": "pan"})), asks(("look", {}))
    with scripted.script([first, again, says("Hay pan y café.")]):
        desk.write("pan, ¿y qué más hay?")
        desk.write("sí")
    assert len(parts.LOOKED) == 2
