"""Whatever a vendor signs is answered with 200: recorded requests, broken in every way, at both doors.

A few inputs here; `make fuzz` tries fifty thousand.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.aitools.channels.cases import samples
from tests.wire import twilio, whatsapp

INPUTS = int(os.environ.get("FUZZ_INPUTS", "100"))

pytestmark = pytest.mark.django_db

#: What stands where something else is expected.
ODD: list[Any] = [
    *(None, True, False, 0, -1, 10**30, 1.5, "", " ", "0", "null", "NaN", "²", "१"),
    *("\x00", "\ud83e", "\udd50\ud83e", "\u202e", "🥐" * 50, "x" * 300, "x" * 5000, "'; DROP TABLE x; --", "{}", "%s"),
    *("STOP", "/reset", "sí", "confirm:7f3a:yes", "user_changed_number", "edit", "revoke", "CO.1349", "+1", "1" * 25),
    *([], [None], [[]], [{}], {}, {"": ""}, {"id": {}}, {"type": []}),
]
BODIES = [
    recorded["json"]
    for name in ("messages", "statuses", "envelopes")
    for sample in samples(f"whatsapp_cloud_{name}")
    for recorded in sample.requests
    if "json" in recorded
]
FORMS = [
    recorded
    for name in ("twilio_sms", "twilio_whatsapp", "twilio_status")
    for sample in samples(name)
    for recorded in sample.requests
]

examples = settings(
    max_examples=INPUTS,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


def places(node: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    if not isinstance(node, dict | list):
        return []
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    return [*((node, key) for key in keys), *(place for key in keys for place in places(node[key]))]


def odd(random: Random) -> Any:
    """One of the odd values, by itself: it may be broken further."""
    return json.loads(json.dumps(random.choice(ODD)))


def swap(random: Random, body: Any) -> None:
    found = places(body)
    (one, at), (other, there) = random.choice(found), random.choice(found)
    one[at] = json.loads(json.dumps(other[there]))


def replace(random: Random, body: Any) -> None:
    container, key = random.choice(places(body))
    container[key] = odd(random)


def remove(random: Random, body: Any) -> None:
    container, key = random.choice(places(body))
    del container[key]


def repeat(random: Random, body: Any) -> None:
    lists = [container for container, _key in places(body) if isinstance(container, list)]
    if lists:
        grown = random.choice(lists)
        grown.append(json.loads(json.dumps(random.choice(grown))) if random.random() < 0.5 else odd(random))


MUTATIONS: list[Callable[[Random, Any], None]] = [swap, replace, replace, remove, repeat]


def mutated(random: Random, recorded: Any) -> Any:
    body = json.loads(json.dumps(recorded))
    for _ in range(random.randint(1, 5)):
        if places(body):
            random.choice(MUTATIONS)(random, body)
    return body


def damaged(random: Random, raw: bytes) -> bytes:
    """Sometimes also a few bytes changed, cut off or put twice."""
    broken = bytearray(raw)
    for _ in range(random.choice([0, 0, 0, 1, 3])):
        at = random.randrange(len(broken) + 1)
        broken[at : at + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
    return bytes(broken[: random.randint(0, len(broken))]) if random.random() < 0.05 else bytes(broken)


@examples
@given(seed=st.integers(min_value=0, max_value=2**64))
def test_metas_door_answers_every_signed_body(seed: int, client: Client) -> None:
    random = Random(seed)
    raw = damaged(random, whatsapp.as_meta_writes(mutated(random, random.choice(BODIES))))

    assert whatsapp.signed_post(client, raw).status_code == 200


@examples
@given(seed=st.integers(min_value=0, max_value=2**64))
def test_twilios_doors_answer_every_signed_form(seed: int, client: Client) -> None:
    random = Random(seed)
    recorded = random.choice(FORMS)
    pairs = mutated(random, recorded["form"])
    named = [(str(pair[0]), str(pair[-1])) for pair in pairs if isinstance(pair, list) and pair]
    raw = damaged(random, urlencode(named, errors="surrogatepass").encode())

    answer = post_form(client, recorded, raw)

    # Bytes that are no form at all are refused as such, or have another signature.
    assert answer.status_code in {200, 400, 403}


def post_form(client: Client, recorded: Mapping[str, Any], raw: bytes) -> Any:
    path = recorded["path"] + (f"?{recorded['query']}" if recorded["query"] else "")
    headers = {"X-Twilio-Signature": twilio.signature_of(path, raw.decode("latin-1"))}
    return client.post(path, data=raw, content_type="application/x-www-form-urlencoded", headers=headers)
