"""Celery's way in: ids in, one call each, safe to run twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from celery import shared_task

from aitools import faults, retention, sending, turns
from aitools import sweep as sweeping


class TaskFailed(Exception):
    """What Celery is told of an error: its kind and where, since an error's own words may be a customer's."""


@shared_task(name="aitools.tasks.advance", ignore_result=True)
def advance(conversation_id: int) -> None:
    with _without_words():
        turns.advance(conversation_id)


@shared_task(name="aitools.tasks.deliver", ignore_result=True)
def deliver(conversation_id: int) -> None:
    with _without_words():
        sending.deliver(conversation_id)


@shared_task(name="aitools.tasks.sweep", ignore_result=True)
def sweep() -> None:
    with _without_words():
        sweeping.sweep_now_and_then()


@shared_task(name="aitools.tasks.purge", ignore_result=True)
def purge() -> None:
    with _without_words():
        retention.purge()


@contextmanager
def _without_words() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001 - Celery hears of it in other words
        raise TaskFailed(faults.reason_of(error)) from None
