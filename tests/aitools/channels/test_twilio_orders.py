"""A whole exchange over Twilio while it fails in every way: each message arrives once, in order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from aitools import clock
from aitools.channels.twilio import channels
from aitools.models import OutboundMessage
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk
from tests.wire.twilio import (
    ANSWER_LOST,
    DROPPED,
    RATE_LIMITED,
    SERVER_ERROR,
    Fault,
    TwilioApi,
    refusal,
    signed_post,
    twilio_api,
)

CUSTOMER, OURS = "+573000000001", "+15550100188"
#: Longer than our limit; taken all the same, and nobody heard of it.
SLOW = Fault(seconds=0.6, accepted=True)
TAKEN_503 = Fault(status=503, code=20503, accepted=True)
#: What happens to the question, and to the answer after the yes. Those that were taken come
#: first: the fake's clock does not move with ours, and a look-up goes by the time.
FAULTS = {
    "answer lost, 429": (ANSWER_LOST, RATE_LIMITED),
    "taken with a 503, 500": (TAKEN_503, SERVER_ERROR),
    "slow, dropped": (SLOW, DROPPED),
    "dropped, queue full": (DROPPED, refusal(21611)),
}


@pytest.fixture(params=["twilio_sms", "twilio_whatsapp"])
def twilio(request: pytest.FixtureRequest, desk: Desk, settings: Settings) -> Iterator[TwilioApi]:
    settings.AITOOLS_CHANNELS["twilio_whatsapp"] = "aitools.channels.twilio.TwilioWhatsApp"
    settings.AITOOLS_CHANNELS["twilio_sms"] = "aitools.channels.twilio.TwilioSms"
    settings.TWILIO_QUESTION_CONTENT_SIDS = {"es": "HX" + "c" * 32}
    desk.channel, desk.address = request.param, CUSTOMER
    with twilio_api() as api:
        settings.TWILIO_API_BASE_URL = api.base_url
        yield api


def arrive(desk: Desk, client: Client, sid: str, **form: str) -> None:
    prefix = "whatsapp:" if desk.channel == "twilio_whatsapp" else ""
    parties = {"From": prefix + CUSTOMER, "To": prefix + OURS}
    assert signed_post(client, "/webhooks/twilio", {"MessageSid": sid, **parties, **form}).status_code == 200
    desk.drain()


def settle(desk: Desk, begin: float) -> float:
    """Let time pass, less than a question waits, with some of the sweeps there are; the new time."""
    for seconds in (4, 12, 30, 63, 76):
        clock.shift(begin + seconds)
        desk.sweep()
    return begin + 76


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_question_and_answer_arrive_once_and_in_order_whatever_fails(
    faults: tuple[Fault, Fault], desk: Desk, twilio: TwilioApi, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "CALL_SECONDS", 0.4)
    with scripted.script([asks(("make", {"name": "pan"})), says("Listo, quedó hecho.")]):
        twilio.faults.append(faults[0])
        arrive(desk, client, "SM1", Body="pan")
        later = settle(desk, 0)
        twilio.faults.append(faults[1])
        if desk.channel == "twilio_sms":
            arrive(desk, client, "SM2", Body="sí")
        else:
            yes = f"confirm:{desk.question().key}:yes"
            arrive(desk, client, "SM2", Body="Sí", ButtonText="Sí", ButtonPayload=yes)
        settle(desk, later)

    assert [text.split()[0] for text in twilio.texts] == ["Voy", "Listo,"]
    assert not twilio.faults
    assert list(OutboundMessage.objects.order_by("id").values_list("state", flat=True)) == ["sent", "sent"]
    assert len(parts.things()) == 1
    assert twilio.refused == []


def test_a_status_may_come_before_the_answer_to_the_send(desk: Desk, twilio: TwilioApi, client: Client) -> None:
    """The answer was lost; Twilio's callback, with our row's key, proves that it was taken."""
    twilio.faults.append(ANSWER_LOST)
    with scripted.script([says("Hola.")]):
        arrive(desk, client, "SM1", Body="hola")
    assert OutboundMessage.objects.get().state == "uncertain"

    sid = twilio.messages[0]["sid"]
    assert twilio.post_status(client, sid, "delivered").status_code == 200
    assert twilio.post_status(client, sid, "sent").status_code == 200
    settle(desk, 0)

    row = OutboundMessage.objects.get()
    assert (row.state, row.status, row.provider_id, row.possibly_repeated) == ("sent", "delivered", sid, False)
    assert len(twilio.messages) == 1
