"""What an SMS costs, and what keeps it cheap."""

from __future__ import annotations

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from aitools import texts
from aitools.channels.twilio import TwilioSms, gsm
from aitools.splitting import split


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("", 1),
        ("x" * 160, 1),
        ("x" * 161, 2),
        ("x" * 306, 2),
        ("x" * 307, 3),
        ("€" * 80, 1),
        ("€" * 81, 2),
        # 152 single septets and one of two: it goes whole into the second segment.
        ("x" * 152 + "€" + "x" * 152, 3),
        ("ñ" * 160, 1),
        ("í" * 70, 1),
        ("í" * 71, 2),
        ("x" * 70 + "í", 2),
        ("🥐" * 35, 1),
        ("🥐" * 36, 2),
        # 33 pairs fill 66 of 67 units: none is cut in two.
        ("🥐" * 67, 3),
    ],
)
def test_segments_are_counted_as_carriers_count_them(text: str, segments: int) -> None:
    assert gsm.segments(text) == segments


def test_look_alikes_do_not_make_a_message_dear() -> None:
    fancy = "2 × “Croissant” – l’oro…"
    assert gsm.plain(fancy) == '2 x "Croissant" - l\'oro...'
    assert gsm.segments(fancy * 6) == gsm.segments(gsm.plain(fancy) * 6) == 1


def test_letters_keep_their_accents_and_broken_up_ones_are_put_together() -> None:
    assert gsm.plain("¿Así, señor Muñoz?") == "¿Así, señor Muñoz?"
    assert gsm.plain("man\u0303ana") == "mañana"


@given(st.text(max_size=400))
def test_a_longer_text_never_takes_fewer_segments(text: str) -> None:
    counted = [gsm.segments(text[:end]) for end in range(len(text) + 1)]
    assert counted == sorted(counted)


@given(st.text(st.sampled_from("abc ñí€🥐👨‍👩‍👧 “1,5"), max_size=1500))
def test_no_part_of_an_sms_is_larger_than_allowed(text: str) -> None:
    can = TwilioSms().capabilities
    parts = split(text, can.text_limit, can.measure)
    assert all(gsm.segments(part) <= can.text_limit for part in parts)
    assert all(len(gsm.plain(part)) <= 1600 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


@pytest.mark.parametrize("language", ["es", "en"])
def test_our_own_sentences_are_a_few_segments_on_sms(language: str) -> None:
    with translation.override(language):
        said = [texts.expired(), texts.declined(), texts.apology(), texts.bot_off(), texts.only_text()]
        said.append(texts.heads_up("Crear pedido", "Pedido C-17"))

    assert not any(quote in gsm.plain(text) for text in said for quote in "“”‘’–—×…")
    assert all(gsm.segments(text) <= 3 for text in said)
