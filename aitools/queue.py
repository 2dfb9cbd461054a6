"""Waking workers: the only place that publishes, always after commit.

A lost wake-up loses nothing: rows decide, and the sweep finds what is due.
"""

from __future__ import annotations

import logging
from datetime import datetime
from functools import partial

from celery import current_app
from django.db import transaction

from aitools.models import Conversation

log = logging.getLogger(__name__)

ADVANCE = "aitools.tasks.advance"
DELIVER = "aitools.tasks.deliver"


def wake(conversation_id: int, delay_seconds: float = 0) -> None:
    """Have a worker look at the conversation once this transaction has committed."""
    transaction.on_commit(partial(publish, ADVANCE, conversation_id, delay_seconds))


def deliver(conversation_id: int, delay_seconds: float = 0) -> None:
    """Have a worker send the conversation's outbox once this has committed."""
    transaction.on_commit(partial(publish, DELIVER, conversation_id, delay_seconds))


def publish_later(conversation: Conversation, now: datetime) -> None:
    """Have a worker look when the burst has settled; outside transactions."""
    if conversation.wake_at is not None:
        publish(ADVANCE, conversation.pk, (conversation.wake_at - now).total_seconds())


def publish(task: str, conversation_id: int, delay_seconds: float = 0) -> None:
    """Put one task on the broker; a broker that is down is logged, not raised."""
    try:
        current_app.send_task(
            task,
            args=[conversation_id],
            countdown=delay_seconds or None,
            retry=False,
            ignore_result=True,
        )
    except Exception as error:  # noqa: BLE001 - whatever the broker raises, the row is safe
        log.warning("wake-up lost, the sweep will find it: %s", type(error).__name__)
