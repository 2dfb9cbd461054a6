"""What the rows say at this moment, for Prometheus: read at each scrape, the same from every process.

All but one are answered by a partial index over what is open or failed, however
large the tables.  The age of the inbox reads the conversations, one row a
customer, as each sweep does: an index on what every message changes would cost
each message more.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Min
from prometheus_client.core import GaugeMetricFamily, Metric

from aitools import behaviour, breakers, clock, deadletters
from aitools.models import Conversation, OutboundMessage, PendingConfirmation, Turn
from aitools.models.turns import OPEN_TURN
from aitools.outbox import OPEN

log = logging.getLogger(__name__)

#: A gauge whose statement takes longer ends the reading: the scrape then says only that the database is slow.
SCRAPE_SECONDS = 5
#: By the model's kind and its row's number, 0 for the environment's.
BREAKER, BREAKER_LABELS = "aitools_model_breaker", ("kind", "endpoint")


def oldest_unread_seconds() -> float:
    """How long the oldest message that no turn has read has waited; 0 when there is none."""
    unread = Conversation.objects.filter(read_seq__lt=F("inbox_seq"))
    return _age(unread.aggregate(oldest=Min("first_unread_at"))["oldest"])


def oldest_unsent_seconds() -> float:
    """How long the oldest message of ours that is not settled has waited; 0 when there is none."""
    unsent = OutboundMessage.objects.filter(state__in=OPEN)
    return _age(unsent.aggregate(oldest=Min("created_at"))["oldest"])


def open_turns() -> float:
    return Turn.objects.filter(state__in=OPEN_TURN).count()


def pending_confirmations() -> float:
    return PendingConfirmation.objects.filter(state=PendingConfirmation.State.PENDING).count()


def failed_turns_waiting() -> float:
    """Given-up turns that nobody has dealt with; stops counting where ``deadletters`` does."""
    return deadletters.waiting().count()


GAUGES: tuple[tuple[str, str, Callable[[], float]], ...] = (
    ("aitools_inbox_oldest_unread_seconds", "Age of the oldest message that no turn has read.", oldest_unread_seconds),
    ("aitools_outbox_oldest_unsent_seconds", "Age of the oldest message not settled.", oldest_unsent_seconds),
    ("aitools_turns_open", "Turns under way or waiting for the customer.", open_turns),
    ("aitools_confirmations_pending", "Questions that wait for an answer.", pending_confirmations),
    ("aitools_turns_failed_waiting", "Given-up turns that wait for staff.", failed_turns_waiting),
)


class DatabaseGauges:
    """A collector of all gauges. Without a database it tells that, and counts can still be read."""

    def collect(self) -> Iterable[Metric]:
        read: list[Metric] = []
        try:
            read = list(_read())
        except DatabaseError as error:
            log.warning("gauges can't be read: %s", type(error).__name__)
        up = _gauge("aitools_database_up", "Whether the gauges could be read.", float(bool(read)))
        return [up, *read, *(_breakers() if read else [])]


def _read() -> Iterator[Metric]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{SCRAPE_SECONDS}s"])
        for name, meaning, ask in GAUGES:
            yield _gauge(name, meaning, ask())


def _breakers() -> Iterator[Metric]:
    """One gauge, unless nothing is asked by network. After the transaction: each model asks Redis."""
    gauge = GaugeMetricFamily(
        BREAKER, "Of a model: 0 asked as any, 1 one request tries, 2 left alone.", labels=BREAKER_LABELS
    )
    for endpoint in filter(breakers.guards, behaviour.current().endpoints()):
        gauge.add_metric([endpoint.kind, str(endpoint.endpoint_id)], breakers.state_of(endpoint))
    if gauge.samples:
        yield gauge


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _age(since: datetime | None) -> float:
    return max(0.0, (clock.now() - since).total_seconds()) if since else 0.0
