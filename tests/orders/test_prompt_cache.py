"""What vendors may keep of a request stays the same, byte for byte, for a whole talk."""

from __future__ import annotations

import sys

import pytest

from aitools import queue
from aitools.models import BotProfile
from bench import prompt_cache, prompt_size
from tests.orders.factories import load_sample


@pytest.mark.django_db(transaction=True)
def test_twenty_messages_share_all_that_stands_before_the_cache_mark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(queue, "publish", lambda *args: None)
    prompt_size.make_profile()
    BotProfile.objects.update(persona="Talk like a baker.")
    load_sample()
    sent = [prompt_cache.sent_of(request) for request in prompt_cache.talk()]

    assert len(sent) == 2 * prompt_cache.TURNS
    assert len({one.kept for one in sent}) == 1
    assert b"Talk like a baker." in sent[0].kept
    assert b"create_order" in sent[0].kept
    # The clock and the draft changed with each message, and were told.
    assert len({one.whole for one in sent}) == len(sent)
    assert all(b"FACTS" in one.whole and b"FACTS (data)" not in one.kept for one in sent)
    share = min(one.share for one in sent)
    with capsys.disabled():
        sys.stdout.write(f"\nat least {share:.0%} of each request can be cached\n")
    assert share >= prompt_cache.LEAST_SHARE
