"""What an SMS costs, and what keeps it cheap."""

from __future__ import annotations

import inspect

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from aitools import texts
from aitools.channels.twilio import TwilioSms, gsm
from aitools.loop import Ending
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


def fixed_texts() -> list[str]:
    """Every sentence of ``aitools.texts``; a word stands for what is filled in."""
    made = inspect.getmembers(texts, inspect.isfunction)
    public = [make for name, make in made if not name.startswith("_") and name not in ("gettext", "ending")]
    filled = [make(*["pan"] * len(inspect.signature(make).parameters)) for make in public]
    return filled + [texts.ending(kind) for kind in Ending]


@pytest.mark.parametrize("language", ["es", "en"])
def test_each_of_our_own_sentences_is_a_few_segments_on_sms(language: str) -> None:
    with translation.override(language):
        said = fixed_texts()

    assert len(said) > 20
    assert not any(quote in gsm.plain(text) for text in said for quote in "“”‘’–—×…")
    assert max(map(gsm.segments, said)) <= 3
