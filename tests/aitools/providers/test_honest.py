"""What is taken out of replies, whoever sent them."""

from __future__ import annotations

import pytest

from aitools.providers.honest import LEAST_CHARACTERS, MOST_CHARACTERS, honest
from aitools.types import ModelReply, Stop
from tests.aitools.providers.cases import request


@pytest.mark.parametrize(("limit", "longest"), [(16, LEAST_CHARACTERS), (1024, 8192), (32_768, MOST_CHARACTERS)])
def test_the_longest_text_grows_with_the_limit_but_not_for_ever(limit: int, longest: int) -> None:
    asked = request(max_output_tokens=limit)
    whole, cut = (honest(ModelReply("x" * length), asked, "") for length in (longest, longest + 1))

    assert (len(whole.text), whole.stop) == (longest, Stop.END)
    assert (len(cut.text), cut.stop) == (longest, Stop.LENGTH)


@pytest.mark.parametrize("stop", [Stop.REFUSAL, Stop.CONTENT_FILTER])
def test_a_refusal_stays_one_however_long_it_is(stop: Stop) -> None:
    assert honest(ModelReply("x" * 9_000, stop=stop), request(), "").stop is stop


def test_a_key_that_is_a_word_is_left_in_its_sentence() -> None:
    assert honest(ModelReply("We run ollama."), request(), "ollama").text == "We run ollama."
