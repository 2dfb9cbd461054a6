"""Ordering over signed webhooks: real web, real workers, real database, Twilio faked at its wire."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError

import pytest

from tests.e2e.stack import Stack
from tests.e2e.texting import Texting
from tests.wire.twilio import TwilioApi, signed_request

ORDER = "quiero 2 croissants y un café"


@pytest.mark.usefixtures("worker")
def test_an_order_is_asked_confirmed_stored_and_its_statuses_applied(
    stack: Stack, texting: Texting, twilio: TwilioApi
) -> None:
    texting.write(ORDER)
    (question,) = texting.hears(1)
    assert question.startswith("Voy a: ")
    assert "2 × Croissant" in question
    assert question.endswith("(sí/no)")
    assert texting.orders() == []
    texting.write("sí")
    reply = texting.hears(2)[1]
    ((_, state, lines),) = texting.orders()
    assert (state, lines) == ("accepted", 2)
    assert texting.order_numbers()[0] in reply
    for message in [m for m in twilio.messages if m["to"] == texting.address]:
        for status in ("delivered", "sent", "read"):
            report(stack, twilio, message["sid"], status)
    assert delivery(stack, texting) == [("sent", "read"), ("sent", "read")]


@pytest.mark.usefixtures("worker")
def test_sms_has_no_name_so_it_is_asked_once(stack: Stack, texting: Texting, twilio: TwilioApi) -> None:
    sms = Texting(stack, twilio, texting.number, whatsapp=False)
    sms.write(ORDER)
    assert "nombre" in sms.hears(1)[0].lower()
    sms.write("Ana")
    assert "Ana" in sms.hears(2)[1]
    sms.write("sí")
    sms.hears(3)
    assert len(sms.orders()) == 1
    sms.write("quiero un croissant")
    assert "(sí/no)" in sms.hears(4)[3]


@pytest.mark.usefixtures("worker")
def test_five_identical_webhooks_at_once_are_one_message(stack: Stack, texting: Texting) -> None:
    with ThreadPoolExecutor(5) as pool:
        list(pool.map(lambda _: texting.write(ORDER, sid="SM" + texting.number[1:].zfill(32)), range(5)))
    texting.hears(1)
    rows = (
        "SELECT count(*) FROM aitools_{} x JOIN aitools_conversation c ON c.id = x.conversation_id WHERE c.address = %s"
    )
    assert stack.one(rows.format("inboundevent"), texting.number) == 1
    assert stack.one(rows.format("turn"), texting.number) == 1


@pytest.mark.usefixtures("worker")
def test_two_yeses_at_once_on_two_workers_are_one_order(stack: Stack, texting: Texting) -> None:
    stack.start_worker()
    texting.write(ORDER)
    texting.hears(1)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(texting.write, ["sí", "ok"]))
    stack.until(lambda: len(texting.heard()) >= 2, "the reply")
    stack.until(lambda: idle(stack, texting), "an idle conversation")
    assert len(texting.orders()) == 1


@pytest.mark.usefixtures("worker")
def test_a_yes_after_the_expiry_orders_nothing_and_is_asked_again(stack: Stack, texting: Texting) -> None:
    texting.write(ORDER)
    texting.hears(1)
    expire = "UPDATE aitools_pendingconfirmation SET expires_at = asked_at WHERE state = 'pending'"
    stack.sql(expire)
    texting.write("sí")
    again = texting.hears(2)[1]
    assert again.startswith("Te pregunto de nuevo")
    assert "2 × Croissant" in again
    assert texting.orders() == []
    texting.write("sí")
    texting.hears(3)
    assert len(texting.orders()) == 1


@pytest.mark.usefixtures("worker")
def test_a_second_yes_is_told_the_number(stack: Stack, texting: Texting) -> None:
    texting.write(ORDER)
    texting.hears(1)
    texting.write("sí")
    texting.hears(2)
    texting.write("sí")
    told = texting.hears(3)[2]
    assert told.startswith("Eso ya está confirmado.")
    assert texting.order_numbers()[0] in told
    assert len(texting.orders()) == 1


@pytest.mark.usefixtures("worker")
def test_a_yes_with_another_quantity_is_asked_again_with_it(stack: Stack, texting: Texting) -> None:
    texting.write("quiero 2 croissants")
    texting.hears(1)
    texting.write("sí, pero que sean 3")
    assert "3 × Croissant" in texting.hears(2)[1]
    assert texting.orders() == []
    texting.write("sí")
    texting.hears(3)
    assert len(texting.orders()) == 1


@pytest.mark.outage
@pytest.mark.usefixtures("no_worker")
def test_redis_flushed_between_webhook_and_worker_costs_one_sweep(stack: Stack, texting: Texting) -> None:
    texting.write(ORDER)
    stack.flush_redis()
    stack.start_worker()
    stack.start_beat()
    texting.hears(1, seconds=40)


@pytest.mark.parametrize("token", ["", "another-token"])
def test_a_forged_signature_is_refused_and_stores_nothing(stack: Stack, texting: Texting, token: str) -> None:
    with pytest.raises(HTTPError) as refused:
        signed_request(stack.url, "/webhooks/twilio", texting.form("hola", "SMforged"), token=token)
    refused.value.close()
    assert refused.value.code == 403
    assert stack.one("SELECT count(*) FROM aitools_inboundevent WHERE provider_id = 'SMforged'") == 0


@pytest.mark.parametrize("body", ["", "x" * 5000, "🥐🥐🥐", "a\x00b", "{total} %s {{x}}"], ids=repr)
@pytest.mark.usefixtures("worker")
def test_odd_bodies_get_a_polite_answer(stack: Stack, texting: Texting, body: str) -> None:
    texting.write(body)
    assert texting.hears(1)[0].strip()


def report(stack: Stack, twilio: TwilioApi, sid: str, status: str) -> None:
    path = twilio.callbacks[sid].removeprefix(stack.url)
    assert signed_request(stack.url, path, twilio.status_form(sid, status)) == 200


def delivery(stack: Stack, texting: Texting) -> list[tuple[str, str]]:
    query = """SELECT o.state, o.status FROM aitools_outboundmessage o
               JOIN aitools_conversation c ON c.id = o.conversation_id WHERE c.address = %s ORDER BY o.id"""
    return [(state, status) for state, status in stack.sql(query, texting.number)]


def idle(stack: Stack, texting: Texting) -> bool:
    query = "SELECT read_seq = inbox_seq AND lease_token IS NULL FROM aitools_conversation WHERE address = %s"
    return bool(stack.one(query, texting.number))
