"""Yes and no as each country says it: data that must not contradict itself."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from aitools.answers import COURTESIES, NO_PHRASES, YES_PHRASES, Answer, Words, read
from aitools.regions import ANYWHERE, REGIONS

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "cases" / "confirmations.jsonl").read_text().splitlines()
]
EVERY_REGION = Words.of(regions=REGIONS)


def unlisted(case: dict[str, str]) -> str:
    """What an unlisted case says where all regions are on; "" for the listed ones."""
    return next((answer for answer in ("yes", "no") if case["note"].startswith(f"unlisted-{answer}")), "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_the_frozen_lists_know_nothing_of_regions(case: dict[str, str]) -> None:
    assert read(case["text"]) == case["label"]
    if unlisted(case):
        assert read(case["text"]) is Answer.OTHER


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_with_every_region_the_unlisted_ones_are_understood_and_nothing_else_changes(case: dict[str, str]) -> None:
    assert read(case["text"], EVERY_REGION) == (unlisted(case) or case["label"])


def test_there_are_cases_of_each_kind() -> None:
    assert (len(CASES), [unlisted(case) for case in CASES].count("yes")) == (180, 12)


@pytest.mark.parametrize("code", REGIONS)
def test_each_phrase_of_a_region_says_what_its_list_says(code: str) -> None:
    words = Words.of(regions=[code])
    assert {read(phrase, words) for phrase in words.yes} == {Answer.YES}
    assert {read(phrase, words) for phrase in words.no} == {Answer.NO}
    assert {read(phrase, words) for phrase in words.courtesies} == {Answer.OTHER}


@pytest.mark.parametrize("code", REGIONS)
def test_a_region_adds_and_takes_nothing_away(code: str) -> None:
    words = Words.of(regions=[code])
    assert words.yes > YES_PHRASES
    assert words.no >= NO_PHRASES
    assert words.courtesies >= COURTESIES


def test_no_phrase_is_a_yes_in_one_country_and_a_no_or_a_courtesy_in_another() -> None:
    assert not EVERY_REGION.yes & EVERY_REGION.no
    assert not (EVERY_REGION.yes | EVERY_REGION.no) & EVERY_REGION.courtesies


def test_a_contradiction_is_no_answer_in_any_country() -> None:
    listed = EVERY_REGION.yes | EVERY_REGION.no
    pairs = [f"{one} {other}" for one, other in product(EVERY_REGION.yes, EVERY_REGION.no)]
    pairs += [f"{other} {one}" for one, other in product(EVERY_REGION.yes, EVERY_REGION.no)]
    # "ya no" and "don't do it" are phrases of their own; a courtesy may follow them.
    phrases = {pair for pair in pairs if pair in listed or pair.removesuffix(" gracias") in listed}
    assert {pair for pair in pairs if read(pair, EVERY_REGION) is not Answer.OTHER} == phrases
    assert {read(phrase, EVERY_REGION) for phrase in phrases} == {Answer.NO}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("CO", "hágale pues, veci"),
        ("CO", "de una!"),
        ("MX", "sale y vale"),
        ("MX", "órale, joven"),
        ("SV", "cabal, va pues"),
        ("AR", "dale, de una che"),
        ("ES", "venga, vale"),
        ("US", "yes ma’am"),
        ("US", "That's right"),
        ("CL", "sí po"),
        ("PE", "ya, gracias"),
        ("VE", "sí va"),
        ("GT", "va pues"),
        ("EC", "de ley"),
        ("UY", "ta, dale"),
        (ANYWHERE, "claro que sí, por favor"),
    ],
)
def test_a_plain_yes_of_its_country(code: str, text: str) -> None:
    assert read(text, Words.of(regions=[code])) is Answer.YES
    assert read(text) is Answer.OTHER


@pytest.mark.parametrize(
    ("code", "text"),
    [("ES", "qué va"), ("AR", "ni ahí"), ("MX", "nel pastel"), ("CL", "nopo"), ("US", "don’t"), (ANYWHERE, "ya no")],
)
def test_a_plain_no_of_its_country(code: str, text: str) -> None:
    assert read(text, Words.of(regions=[code])) is Answer.NO
    assert read(text) is Answer.OTHER


@pytest.mark.parametrize(
    "text",
    [
        "ya va",  # VE: wait
        "venga ya",  # ES: come on, I don't believe it
        "ya vale",  # ES: that is enough
        "don't cancel",
        "ni modo",  # MX: too bad
        "ni modo que no",  # MX: a yes that looks like a no
        "cómo no",
        "claro que no",
        "por supuesto que no",
        "yes i do not",
        "ahora no",
        "not yet",
        "déjalo así",
        "no lo quiero",
        "no exactamente",
        "obvio no",
        "va, pero sin azúcar",
        "sip, y 2 más",
        "sale en 5 minutos",
        "¿va?",
        "ya mismo voy",
        "a nombre de Simón",
    ],
)
def test_what_may_mean_something_else_stays_unclear_everywhere(text: str) -> None:
    assert read(text, EVERY_REGION) is Answer.OTHER


def test_unknown_codes_are_ignored() -> None:
    assert Words.of(regions=["CO", "XX"]) == Words.of(regions=["CO"])
