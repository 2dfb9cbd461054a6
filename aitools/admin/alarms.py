"""What needs a person now. Every query is answered by a partial index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Min, Q, QuerySet

from aitools import behaviour, deadletters
from aitools.models import Conversation, InboundEvent, OutboundMessage, OutboundState, PendingConfirmation, Turn

#: How many of each are listed; the lists behind them have the rest.
SHOWN = 8
FAILED_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Alarms:
    """The newest of each kind. ``unread_minutes`` is the age of the oldest unread message, None without one."""

    bot_off: bool
    unanswered: tuple[Turn, ...]
    waiting: tuple[Conversation, ...]
    questions: tuple[PendingConfirmation, ...]
    failed: tuple[OutboundMessage, ...]
    unread_since: datetime | None
    unread_minutes: int | None

    @property
    def quiet(self) -> bool:
        return not (
            self.bot_off or self.unanswered or self.waiting or self.questions or self.failed or self.unread_minutes
        )


def current(now: datetime) -> Alarms:
    """What needs a person at this time. Six queries."""
    unread = _unread().aggregate(since=Min("received_at"))["since"]
    return Alarms(
        bot_off=not behaviour.profile().bot_on,
        unanswered=tuple(deadletters.waiting()[:SHOWN]),
        waiting=tuple(_waiting()[:SHOWN]),
        questions=tuple(_questions()[:SHOWN]),
        failed=tuple(_failed(now)[:SHOWN]),
        unread_since=unread,
        unread_minutes=int((now - unread).total_seconds() // 60) if unread else None,
    )


def waiting_count() -> int:
    """How many conversations wait for staff; stops counting at 100."""
    return _waiting()[:100].count()


def _unread() -> QuerySet[InboundEvent]:
    """Talk alone: a status whose message we don't know stays unread and is nobody's work."""
    waiting = Q(seq__gt=F("conversation__read_seq"), conversation__read_seq__lt=F("conversation__inbox_seq"))
    return InboundEvent.objects.filter(waiting)


def _waiting() -> QuerySet[Conversation]:
    return Conversation.objects.filter(needs_staff=True).order_by("-last_inbound_at")


def _questions() -> QuerySet[PendingConfirmation]:
    return (
        PendingConfirmation.objects.filter(state=PendingConfirmation.State.PENDING)
        .select_related("conversation", "message")
        .order_by("expires_at")
    )


def _failed(now: datetime) -> QuerySet[OutboundMessage]:
    return (
        OutboundMessage.objects.filter(
            state__in=[OutboundState.FAILED, OutboundState.UNCERTAIN], created_at__gt=now - FAILED_FOR
        )
        .select_related("conversation")
        .order_by("-id")
    )
