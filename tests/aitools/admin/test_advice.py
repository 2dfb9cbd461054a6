"""Staff read what to do about a message that failed, beside the vendor's code."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from aitools.admin import talk
from aitools.channels.advice import advice, class_of
from aitools.channels.base import ErrorClass
from tests.aitools.admin import rows

CLASSES = [
    ("twilio_sms", "20429", ErrorClass.RETRY),
    ("twilio_sms", "30003", ErrorClass.LATER),
    ("twilio_whatsapp", "63018", ErrorClass.SLOW),
    ("twilio_sms", "21610", ErrorClass.OPT_OUT),
    ("twilio_whatsapp", "63016", ErrorClass.WINDOW),
    ("twilio_whatsapp", "window", ErrorClass.WINDOW),
    ("twilio_sms", "20003", ErrorClass.CONFIG),
    ("twilio_sms", "21614", ErrorClass.RECIPIENT),
    ("twilio_sms", "30007", ErrorClass.CONTENT),
    ("twilio_sms", "99999", ErrorClass.UNKNOWN),
    ("web", "21614", ErrorClass.UNKNOWN),
    ("carrier-pigeon", "1", ErrorClass.UNKNOWN),
]


@pytest.mark.parametrize(("channel", "code", "expected"), CLASSES)
def test_a_stored_code_is_read_by_its_channel(channel: str, code: str, expected: ErrorClass) -> None:
    assert class_of(channel, code) is expected


def test_every_class_has_advice_of_its_own() -> None:
    with translation.override("en"):
        said = {advice(channel, code) for channel, code, _ in CLASSES[:10]}
        assert len(said) == len(ErrorClass)
        assert advice("twilio_sms", "unknown") not in said
    assert advice("twilio_sms", "") == ""


@pytest.mark.django_db
def test_advice_stands_with_the_message_in_the_conversation_and_in_its_own_page(browser: Client) -> None:
    row = rows.conversation(channel="twilio_whatsapp")
    failed = rows.answered(row, "Tu torta está lista", state="failed", error_code="63016", error="refused")
    rows.answered(row, "Hola", state="sent", error_code="63016")

    with translation.override("en"):
        told = advice("twilio_whatsapp", "63016")
        problems = [bubble.problem for bubble in talk.page(row.pk).bubbles]
    page = browser.get(
        reverse("admin:aitools_outboundmessage_change", args=[failed.pk]), headers={"accept-language": "en"}
    )

    assert f"refused (63016) {told}" in problems
    assert told not in problems[1]
    assert told.partition(".")[0].replace("'", "&#x27;") in page.content.decode()
