"""What needs a person now. Every query is answered by a partial index."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, Min, Q, QuerySet

from aitools import behaviour, deadletters, keyring, prices, spending
from aitools.models import (
    BotProfile,
    Conversation,
    InboundEvent,
    ModelEndpoint,
    OutboundMessage,
    OutboundState,
    PendingConfirmation,
    Turn,
)
from aitools.spending import Stage

#: How many of each are listed; the lists behind them have the rest.
SHOWN = 8
FAILED_FOR = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Budget:
    """A day's budget that is used up: the soft one, or the hard one as well (``stops``). Amounts as text."""

    stops: bool
    spent: str
    limit: str


@dataclass(frozen=True, slots=True)
class Alarms:
    """The newest of each kind. ``unread_minutes`` is the age of the oldest unread message, None without one.

    ``broken`` models are refused by their vendor, ``locked`` ones have a stored key
    that can't be opened; neither answers anybody.
    """

    bot_off: bool
    budget: Budget | None
    broken: tuple[ModelEndpoint, ...]
    locked: tuple[ModelEndpoint, ...]
    unanswered: tuple[Turn, ...]
    waiting: tuple[Conversation, ...]
    questions: tuple[PendingConfirmation, ...]
    failed: tuple[OutboundMessage, ...]
    unread_since: datetime | None
    unread_minutes: int | None

    @property
    def quiet(self) -> bool:
        models = self.budget or self.broken or self.locked
        people = self.unanswered or self.waiting or self.questions or self.failed or self.unread_minutes
        return not (self.bot_off or models or people)


def current(now: datetime) -> Alarms:
    """What needs a person at this time. Seven queries, and those of a budget."""
    profile = behaviour.profile()
    models = list(ModelEndpoint.objects.filter(active=True).exclude(broken_at=None, sealed_key=""))
    unread = _unread().aggregate(since=Min("received_at"))["since"]
    return Alarms(
        bot_off=not profile.bot_on,
        budget=_budget(profile, now),
        broken=tuple(row for row in models if row.broken_at)[:SHOWN],
        locked=tuple(row for row in models if row.sealed_key and not keyring.opens(row.sealed_key, row.place))[:SHOWN],
        unanswered=tuple(deadletters.waiting()[:SHOWN]),
        waiting=tuple(_waiting()[:SHOWN]),
        questions=tuple(_questions()[:SHOWN]),
        failed=tuple(_failed(now)[:SHOWN]),
        unread_since=unread,
        unread_minutes=int((now - unread).total_seconds() // 60) if unread else None,
    )


def _budget(profile: BotProfile, now: datetime) -> Budget | None:
    reached = spending.stage(profile, now)
    limit = profile.daily_budget_hard if reached is Stage.STOP else profile.daily_budget_soft
    if reached is Stage.FREE or limit is None:
        return None
    return Budget(reached is Stage.STOP, prices.dollars(spending.today(now)), prices.dollars(limit))


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
