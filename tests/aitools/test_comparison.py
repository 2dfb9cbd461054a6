"""A stored turn asked anew of another model: what it is told, what it may do, and that nothing is written."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from aitools import comparison
from aitools.comparison import Comparison, Incomparable
from aitools.errors import ProviderTransient
from aitools.models import AuditEvent, ModelEndpoint, Step, ToolCall, Turn
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from aitools.tools import ToolContext
from aitools.types import Prompt, UserText
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))
OTHER_ORDER = asks(("make", {"name": "pan", "count": 3}))
LOOKS = asks(("look", {}))
PRICES = {"input_price": Decimal(3), "output_price": Decimal(15)}
#: The facts of this moment.
NOW = {"price": 5}


@pytest.fixture
def asked(desk: Desk, settings: object) -> Desk:
    """A turn in which two panes were made and said to cost 10."""
    settings.AITOOLS_PROMPT_BUILDER = "tests.aitools.test_comparison.prompt"  # type: ignore[attr-defined]
    ModelEndpoint.objects.create(name="other", kind="scripted", model="other", **PRICES)
    with scripted.script([says("Hola.")]):
        desk.write("hola")
    with scripted.script([LOOKS, ORDER, says("Son 2 panes.")]):
        desk.write("2 panes")
        desk.write("sí")
    return desk


def prompt(ctx: ToolContext) -> Prompt:
    """What the shop tells of ``NOW``."""
    return Prompt("You take orders.", dict(NOW), f"FACTS: {json.dumps(NOW)}")


def anew(desk: Desk) -> Comparison:
    return comparison.compare(desk.turn(), str(ModelEndpoint.objects.get(name="other").pk))


def counts() -> list[int]:
    return [model.objects.count() for model in (Turn, Step, ToolCall, AuditEvent, ModelEndpoint)]


def test_it_is_told_the_talk_and_the_facts_of_then(asked: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NOW, "price", 6)
    with scripted.script([says("¿Cuántos?")], model="other") as script:
        found = anew(asked)
    request = script.calls[0]
    assert [getattr(one, "text", "") for one in request.messages] == ["hola", "Hola.", "2 panes"]
    assert (dict(request.facts), found.facts_restored) == ({"price": 5}, True)
    assert '{"price": 5}' in request.system
    assert [spec.name for spec in request.tools if spec.confirm] == ["make", "undo"]
    assert request.messages[-1] == UserText("2 panes")


def test_the_same_calls_get_the_results_of_then_and_are_not_run(asked: Desk) -> None:
    made, looked, before = parts.things(), len(parts.LOOKED), counts()
    with scripted.script([LOOKS, ORDER, says("Listo.")], model="other"):
        found = anew(asked)
    assert found.says_now == "Listo."
    assert [call.told for step in found.now for call in step.calls] == [
        call.told for step in found.then for call in step.calls
    ]
    assert comparison.difference(found.now, found.then) == set()
    assert (parts.things(), len(parts.LOOKED), counts()) == (made, looked, before)


def test_another_call_with_an_effect_is_not_run(asked: Desk) -> None:
    made, before = parts.things(), counts()
    with scripted.script([OTHER_ORDER, says("No pude.")], model="other"):
        found = anew(asked)
    call = found.now[0].calls[0]
    assert call.is_error
    assert comparison.NOT_RUN in call.told
    assert comparison.difference(found.now, found.then) == {comparison.key_of(call)}
    assert (parts.things(), counts()) == (made, before)


def test_what_was_not_looked_up_then_is_looked_up_now(desk: Desk) -> None:
    ModelEndpoint.objects.create(name="other", kind="scripted", model="other")
    with scripted.script([says("Hola.")]):
        desk.write("hola")
    with scripted.script([LOOKS, says("Hay pan.")], model="other"):
        found = anew(desk)
    assert '"pan"' in found.now[0].calls[0].told
    assert len(parts.LOOKED) == 1


def test_a_fault_leaves_what_came_before(asked: Desk) -> None:
    with scripted.script([LOOKS, ProviderTransient("away", kind="overloaded")], model="other"):
        found = anew(asked)
    assert found.fault is not None
    assert (found.fault.kind, len(found.now), found.says_now) == ("overloaded", 1, "")


def test_a_turn_without_words_can_not_be_asked_anew(asked: Desk) -> None:
    Turn.objects.update(text="")
    with pytest.raises(Incomparable):
        anew(asked)


class TestPage:
    def url(self, desk: Desk) -> str:
        return reverse("admin:aitools_turn_compare", args=[desk.turn().pk])

    def test_both_stand_side_by_side_with_their_differences(self, asked: Desk, admin_client: Client) -> None:
        turn = reverse("admin:aitools_turn_change", args=[asked.turn().pk])
        assert 'id="compare"' in admin_client.get(turn).content.decode()
        chosen = {"endpoint": str(ModelEndpoint.objects.get(name="other").pk)}
        with scripted.script([OTHER_ORDER, says("No pude.")], model="other"):
            answer = admin_client.post(self.url(asked), chosen, headers={"accept-language": "en"})
        page = answer.content.decode()
        assert "Son 2 panes." in page
        assert "No pude." in page
        assert page.count("only here") == 3
        assert "Other calls" in page

    def test_a_model_that_is_gone_is_said_so(self, asked: Desk, admin_client: Client) -> None:
        answer = admin_client.post(self.url(asked), {"endpoint": "9999"})
        assert answer.status_code == 400

    def test_who_may_not_choose_models_may_not_ask_one(self, asked: Desk, client: Client) -> None:
        user = User.objects.create_user("paco", is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="view_turn"))
        client.force_login(user)
        turn = reverse("admin:aitools_turn_change", args=[asked.turn().pk])
        assert 'id="compare"' not in client.get(turn).content.decode()
        assert client.post(self.url(asked), {"endpoint": "offline"}).status_code == 403
