"""One conversation from message to reply: what the rows say after each step."""

import pytest
from pytest_django import Settings

from aitools import bursts, clock, turns
from aitools.errors import ProviderTransient
from aitools.models import BotProfile, InboundEvent, ModelEndpoint, OutboundMessage, Step, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.types import AssistantStep, AssistantText, ModelReply, Nudge, Stop, ToolRequest, UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))


def test_a_message_is_answered_once(desk: Desk) -> None:
    with scripted.script([says("¡Hola!")]):
        assert desk.write("hola") == ["¡Hola!"]
    assert desk.turn().state == "done"
    assert OutboundMessage.objects.get().state == "sent"


def test_a_burst_is_one_turn_and_one_answer(desk: Desk) -> None:
    with scripted.script([says("Van 2 de queso.")]) as script:
        for text in ("hola", "quiero pan", "2 de queso"):
            desk.receive(text)
        desk.drain()
    assert desk.said() == ["Van 2 de queso."]
    assert script.calls[0].messages == (UserText("hola\nquiero pan\n2 de queso"),)


def test_the_same_webhook_again_changes_nothing(desk: Desk) -> None:
    with scripted.script([says("¡Hola!")]):
        for _ in range(5):
            desk.receive("hola", provider_id="SM1")
        desk.drain()
    assert InboundEvent.objects.count() == 1
    assert Turn.objects.count() == 1


def test_the_settle_time_is_a_row_and_not_a_sleep(desk: Desk, profile: BotProfile) -> None:
    BotProfile.objects.update(settle_seconds=3)
    assert desk.write("hola") == []
    clock.shift(4)
    with scripted.script([says("¡Hola!")]):
        assert desk.sweep() == ["¡Hola!"]


def test_a_long_burst_is_answered_after_ten_seconds_all_the_same(desk: Desk) -> None:
    BotProfile.objects.update(settle_seconds=3)
    desk.receive("uno")
    for second in (2, 4, 6, 8, 9.5):
        clock.shift(second)
        desk.receive("más")
    conversation = desk.conversation()
    assert conversation.wake_at is not None
    assert conversation.first_unread_at is not None
    assert (conversation.wake_at - conversation.first_unread_at).total_seconds() == pytest.approx(10, abs=0.5)


def test_reads_run_at_once_and_their_results_go_back_in_order(desk: Desk) -> None:
    with scripted.script([asks(("look", {})), says("Hay pan y café.")]) as script:
        assert desk.write("¿qué hay?") == ["Hay pan y café."]
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert [result.content for result in step.results] == ['{"things": ["pan", "café"]}']


def test_an_effect_is_asked_first_and_done_after_the_yes(desk: Desk) -> None:
    with scripted.script([ORDER, says("Listo, 2 panes.")]):
        question = desk.write("2 panes")
        assert question == ["Voy a: Hacer\n• 2 × pan\n• Total: 10\n¿Confirmas?"]
        assert parts.things() == []
        assert desk.write("sí") == ["Listo, 2 panes."]
    assert len(parts.things()) == 1
    assert desk.events() == ["tool.confirm.requested", "tool.confirm.approved", "tool.call", "tool.result"]


def test_the_model_hears_of_a_no(desk: Desk) -> None:
    with scripted.script([ORDER, says("Vale, no lo hago.")]) as script:
        desk.write("2 panes")
        assert desk.write("no gracias") == ["Vale, no lo hago."]
    assert parts.things() == []
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert '"reason": "denied"' in step.results[0].content


def test_a_yes_with_a_change_is_asked_again(desk: Desk) -> None:
    more = asks(("make", {"name": "pan", "count": 3}))
    with scripted.script([ORDER, more, says("Listo, 3.")]) as script:
        desk.write("2 panes")
        assert desk.write("sí, pero que sean 3") == ["Voy a: Hacer\n• 3 × pan\n• Total: 15\n¿Confirmas?"]
        assert parts.things() == []
        desk.write("sí")
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert "que sean 3" in step.results[0].content
    assert desk.calls() == [("make", "replied"), ("make", "done")]


def test_history_is_plain_text_and_windowed(desk: Desk) -> None:
    BotProfile.objects.update(history_turns=1)
    with scripted.script([says("uno"), says("dos"), says("tres")]) as script:
        for text in ("a", "b", "c"):
            desk.write(text)
    assert script.calls[2].messages == (UserText("b"), AssistantText("dos"), UserText("c"))


def test_writing_while_the_model_thinks_comes_before_any_question(desk: Desk) -> None:
    def interrupted(request: object) -> ModelReply:
        desk.receive("mejor 4")
        return ORDER

    four = asks(("make", {"name": "pan", "count": 4}))
    with scripted.script([interrupted, four]):
        said = desk.write("2 panes")
    assert said == ["Voy a: Hacer\n• 4 × pan\n• Total: 20\n¿Confirmas?"]
    assert desk.calls() == [("make", "replied"), ("make", "waiting")]


def test_invalid_arguments_go_to_the_model_and_never_to_the_customer(desk: Desk) -> None:
    calls = asks(("make", {"name": "pan", "count": 0}), ("make", {"name": "pan", "count": 1, "price": 1}))
    with scripted.script([calls, says("¿Cuántos?")]) as script:
        assert desk.write("0 panes") == ["¿Cuántos?"]
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert "count: Input should be greater than or equal to 1" in step.results[0].content
    assert "price: Extra inputs are not permitted" in step.results[1].content
    assert desk.events() == ["tool.invalid_args", "tool.invalid_args"]


def test_the_shops_own_rule_refuses_before_the_customer_is_asked(desk: Desk) -> None:
    with scripted.script([asks(("make", {"name": "gone"})), says("No queda; ¿pan?")]) as script:
        assert desk.write("uno de gone") == ["No queda; ¿pan?"]
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert "sold out" in step.results[0].content


def test_an_unknown_tool_is_answered_with_the_known_ones(desk: Desk) -> None:
    with scripted.script([asks(("mkae", {})), says("Ya.")]) as script:
        desk.write("hola")
    step = script.calls[1].messages[-1]
    assert isinstance(step, AssistantStep)
    assert "look, make, undo" in step.results[0].content


def test_one_broken_call_does_not_stop_its_neighbour(desk: Desk) -> None:
    broken = ModelReply(
        tool_calls=(ToolRequest("look", None, raw='{"a'), ToolRequest("look", {})), stop=Stop.TOOL_CALLS
    )
    with scripted.script([broken, says("Hay pan.")]):
        desk.write("¿qué hay?")
    assert desk.calls() == [("look", "refused"), ("look", "done")]


def test_a_cut_reply_runs_nothing_and_is_tried_once_with_more_room(desk: Desk) -> None:
    cut = ModelReply(tool_calls=(ToolRequest("make", {"name": "pan"}),), stop=Stop.LENGTH)
    with scripted.script([cut, cut]) as script:
        said = desk.write("2 panes")
    assert said == ["Disculpa, eso fue demasiado largo para mí. ¿Me pides menos a la vez?"]
    assert script.calls[1].max_output_tokens == 2 * script.calls[0].max_output_tokens
    assert desk.events() == ["tool.truncated", "tool.truncated"]


def test_a_cut_text_is_said_again_and_not_in_part(desk: Desk) -> None:
    cut = ModelReply(text="Tenemos croissants a $3.", stop=Stop.LENGTH)
    with scripted.script([cut, asks(("look", {})), says("Hay pan.")]) as script:
        assert desk.write("¿qué hay?") == ["Hay pan."]
    assert [type(message) for message in script.calls[1].messages] == [UserText, Nudge]
    assert [type(message) for message in script.calls[2].messages] == [UserText, Nudge, AssistantStep]
    assert "cut" in script.calls[2].messages[1].text


def test_the_last_allowed_step_runs_no_call(desk: Desk) -> None:
    BotProfile.objects.update(max_steps=2)
    with scripted.script([asks(("look", {})), asks(("make", {"name": "pan"}))]):
        desk.write("hola")
    assert desk.calls() == [("look", "done"), ("make", "refused")]
    assert "loop.max_steps" in desk.events()


def test_an_empty_reply_gets_one_nudge_then_our_own_words(desk: Desk) -> None:
    with scripted.script([says(""), says(" ")]):
        assert desk.write("hola") == ["Disculpa, no pude responder a eso. ¿Me lo dices con otras palabras?"]


def test_a_refusal_is_told_neutrally_and_shown_to_staff(desk: Desk) -> None:
    with scripted.script([ModelReply(stop=Stop.REFUSAL)]):
        said = desk.write("hola")
    assert said == ["Disculpa, con eso no puedo ayudar. Puedo tomar tu pedido o contarte de la tienda."]
    assert desk.conversation().needs_staff


def test_several_effects_of_one_step_are_asked_one_after_the_other(desk: Desk) -> None:
    both = asks(("make", {"name": "pan"}), ("make", {"name": "café"}))
    with scripted.script([both, says("Los dos.")]):
        assert "pan" in desk.write("pan y café")[0]
        assert "café" in desk.write("sí")[0]
        assert desk.write("sí") == ["Los dos."]
    assert len(parts.things()) == 2


def test_another_answer_supersedes_the_rest_of_the_step(desk: Desk) -> None:
    both = asks(("make", {"name": "pan"}), ("make", {"name": "café"}))
    with scripted.script([both, says("Te cuento.")]):
        desk.write("pan y café")
        assert desk.write("¿y cuánto cuesta?") == ["Te cuento."]
    assert desk.calls() == [("make", "replied"), ("make", "refused")]
    assert "superseded" in ToolCall.objects.latest("id").result


def test_identical_writes_of_one_step_run_once(desk: Desk) -> None:
    twice = asks(("make", {"name": "pan"}), ("make", {"name": "pan"}))
    with scripted.script([twice, says("Hecho.")]):
        desk.write("pan")
        desk.write("sí")
    assert len(parts.things()) == 1
    assert len(set(ToolCall.objects.values_list("result", flat=True))) == 1


def test_the_same_read_twice_gives_the_earlier_result(desk: Desk) -> None:
    with scripted.script([asks(("look", {})), asks(("look", {})), says("Hay pan.")]):
        desk.write("hola")
    assert len(parts.LOOKED) == 1


def test_a_failing_model_is_replaced_by_the_next(desk: Desk, profile: BotProfile) -> None:
    profile.fallbacks.add(ModelEndpoint.objects.create(name="second", kind="scripted", model="second"))
    down = ProviderTransient("busy", kind="overloaded")
    with scripted.script([down]), scripted.script([says("¡Hola!")], model="second"):
        assert desk.write("hola") == ["¡Hola!"]
    assert desk.events() == ["provider.fallback"]
    assert Step.objects.get().provider == "scripted"


def test_a_reply_that_cannot_be_read_is_left_to_the_next_model(desk: Desk, profile: BotProfile) -> None:
    profile.fallbacks.add(ModelEndpoint.objects.create(name="second", kind="scripted", model="second"))
    with scripted.script([TypeError("usage is a list")]), scripted.script([says("¡Hola!")], model="second"):
        assert desk.write("hola") == ["¡Hola!"]


def test_a_turn_that_keeps_dying_is_given_up_with_an_apology(desk: Desk, settings: Settings) -> None:
    settings.AITOOLS_PROMPT_BUILDER = "tests.aitools.desk.broken_prompt"
    desk.receive("hola")
    for _ in range(3):
        with pytest.raises(RuntimeError):
            turns.advance(desk.conversation().pk)
    settings.AITOOLS_PROMPT_BUILDER = "tests.aitools.desk.prompt"
    desk.drain()
    assert desk.turn().state == "failed"
    assert desk.said()[-1].startswith("Disculpa, algo falló")
    assert desk.conversation().needs_staff
    with scripted.script([says("Ya estoy.")]):
        assert desk.write("¿hola?") == ["Ya estoy."]


def test_a_question_is_given_up_with_its_turn(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that stayed open would forbid every later one."""

    def broken(*given: object) -> None:
        raise RuntimeError("bug")

    with scripted.script([ORDER]):
        desk.write("2 panes")
    desk.receive("sí")
    with monkeypatch.context() as while_broken:
        while_broken.setattr(bursts, "read_burst", broken)
        for _ in range(3):
            with pytest.raises(RuntimeError):
                turns.advance(desk.conversation().pk)
    assert (desk.turn().state, desk.question().state) == ("failed", "cancelled")
    with scripted.script([ORDER, says("Listo.")]):
        assert "¿Confirmas?" in desk.write("2 panes")[-1]
        assert desk.write("sí") == ["Listo."]


def test_an_endpoint_that_was_switched_off_is_not_asked(desk: Desk, profile: BotProfile) -> None:
    profile.fallbacks.add(ModelEndpoint.objects.create(name="second", kind="scripted", model="second"))
    ModelEndpoint.objects.filter(name="script").update(active=False)
    with scripted.script([]), scripted.script([says("¡Hola!")], model="second"):
        assert desk.write("hola") == ["¡Hola!"]


def test_two_customers_never_see_each_others_words(desk: Desk) -> None:
    other = Desk(address="visitor-2", published=desk.published)
    with scripted.script([says(f"r{number}") for number in range(10)]) as script:
        for number in range(5):
            desk.write(f"mío {number}")
            other.write(f"suyo {number}")
    for request in script.calls:
        whole = str(request.messages)
        assert not ("mío" in whole and "suyo" in whole)
