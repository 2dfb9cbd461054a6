"""Celery's way in: ids in, one call each, safe to run twice."""

from __future__ import annotations

from celery import shared_task

from aitools import retention, sending, turns
from aitools import sweep as sweeping


@shared_task(name="aitools.tasks.advance", ignore_result=True)
def advance(conversation_id: int) -> None:
    turns.advance(conversation_id)


@shared_task(name="aitools.tasks.deliver", ignore_result=True)
def deliver(conversation_id: int) -> None:
    sending.deliver(conversation_id)


@shared_task(name="aitools.tasks.sweep", ignore_result=True, expires=15)
def sweep() -> None:
    sweeping.sweep()


@shared_task(name="aitools.tasks.purge", ignore_result=True)
def purge() -> None:
    retention.purge()
