"""Emptying what is older than it may be kept: words and arguments go, rows stay.

Ids, states, times, tools and tokens stay, so counts and the trail of what was
done outlive the words; what was ordered is in the shop's own tables, which
nothing here knows.

An address stays with its conversation, and so does the phone, which on most
channels is the address: an opt-out must hold for it for ever, and the same
customer must not become two.  The name goes; their next message brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet

from aitools import behaviour, clock
from aitools.models import (
    AuditEvent,
    Conversation,
    InboundEvent,
    OutboundMessage,
    PendingConfirmation,
    Step,
    ToolCall,
    Turn,
)
from aitools.models.turns import OPEN_TURN
from aitools.outbox import OPEN as UNSENT

#: Rows per transaction: locks and new row versions stay few, whatever the backlog.
BATCH = 500

_OPEN = Turn.objects.filter(state__in=OPEN_TURN)
_UNREAD = Q(seq__gt=F("conversation__read_seq"))
_PENDING = PendingConfirmation.State.PENDING


@dataclass(frozen=True, slots=True)
class Part:
    """What one table loses. ``at`` is a row's age; ``leaves`` maps columns to what stays in them.

    Rows of ``live`` are somebody's work and are left alone.  ``key`` is the
    number that rises with age and that an index begins with.
    """

    model: type[Model]
    at: str
    live: Q
    leaves: Mapping[str, Any]
    key: str = "pk"

    @property
    def rows(self) -> QuerySet[Any]:
        return self.model._default_manager.order_by("pk")

    def between(self, first: int, last: int) -> Q:
        return Q(**{f"{self.key}__gte": first, f"{self.key}__lte": last})

    def due(self, before: datetime) -> QuerySet[Any]:
        """Old, nobody's work, and not emptied yet: a second run rewrites nothing."""
        full = Q()
        for column, rest in self.leaves.items():
            full |= Q(**{f"{column}__isnull": False}) if rest is None else ~Q(**{column: rest})
        return self.rows.filter(full, **{f"{self.at}__lt": before}).exclude(self.live)


_OF_OPEN_TURN = Q(turn__in=_OPEN.values("pk"))
PARTS = (
    Part(
        InboundEvent,
        "received_at",
        _UNREAD | Q(conversation__in=_OPEN.values("conversation")),
        {"text": "", "payload": "", "media": [], "extra": {}},
    ),
    Part(
        OutboundMessage,
        "created_at",
        Q(state__in=UNSENT) | _OF_OPEN_TURN | Q(call__confirmation__state=_PENDING),
        {"text": "", "error": ""},
    ),
    Part(
        PendingConfirmation,
        "created_at",
        Q(state=_PENDING) | Q(call__turn__in=_OPEN.values("pk")),
        {"fingerprint": None, "long_question": ""},
    ),
    Part(
        ToolCall,
        "created_at",
        _OF_OPEN_TURN | Q(confirmation__state=_PENDING),
        {"arguments": None, "result": "", "value": None},
    ),
    Part(Step, "created_at", _OF_OPEN_TURN, {"text": "", "raw": None, "facts": None, "nudge": ""}, key="turn_id"),
    Part(Turn, "started_at", Q(state__in=OPEN_TURN), {"text": "", "reply": "", "failure": ""}),
    Part(AuditEvent, "at", _OF_OPEN_TURN, {"error": ""}),
)


def purge(now: datetime | None = None, *, days: int | None = None, dry_run: bool = False) -> Mapping[str, int]:
    """Empty what is older than ``days``; how many rows were emptied per table.

    ``days`` is the profile's unless given, 0 keeps everything; ``now`` is the
    database's time unless given.  With ``dry_run`` the rows are counted only.
    Commits batch by batch, oldest first: stopped at any point it goes on from
    there the next time, and two at once share the work.  Needs no transaction
    and refuses one.
    """
    kept = behaviour.profile().retention_days if days is None else days
    if kept <= 0:
        return {}
    before = (now or clock.now()) - timedelta(days=kept)
    emptied = {str(part.model._meta.db_table): _purge(part, before, dry_run=dry_run) for part in PARTS}
    return emptied | {Conversation._meta.db_table: _forget_names(before, dry_run=dry_run)}


def _purge(part: Part, before: datetime, *, dry_run: bool) -> int:
    """Along the key, in whose order rows age, as far as there are old ones."""
    return sum(
        _empty(part.due(before).filter(part.between(first, last)), part.leaves, dry_run=dry_run)
        for first, last in _old_pages(part, before)
    )


def _old_pages(part: Part, before: datetime) -> Iterator[tuple[int, int]]:
    """First and last keys of each page of rows with an old one on it.

    The first page without ends it, so that the young rows are never read: ids
    follow time but for transactions under way at once, and who is overtaken
    comes a day later.
    """
    after = 0
    while page := list(part.rows.filter(**{f"{part.key}__gt": after}).values_list(part.key, part.at)[:BATCH]):
        if all(at >= before for _pk, at in page):
            return
        yield page[0][0], page[-1][0]
        after = page[-1][0]


def _empty(due: QuerySet[Any], leaves: Mapping[str, Any], *, dry_run: bool) -> int:
    """One transaction. Rows that somebody holds are left to a later run: who never waits can't deadlock."""
    if dry_run:
        return due.count()
    with transaction.atomic(durable=True):
        # Django can't name a table of two keys; steps are found in theirs alone.
        own = () if due.model is Step else ("self",)
        locked = due.select_for_update(skip_locked=True, no_key=True, of=own)
        emptied: int = due.model._default_manager.filter(pk__in=_ids(locked)).update(**leaves)
        return emptied


def _ids(rows: QuerySet[Any]) -> Sequence[Any]:
    return list(rows.values_list("pk", flat=True))


def _forget_names(before: datetime, *, dry_run: bool) -> int:
    """Names of customers who have not written since, a batch at a time."""
    silent = Conversation.objects.filter(last_inbound_at__lt=before, read_seq__gte=F("inbox_seq"))
    named = silent.exclude(Q(profile_name="") | Q(pk__in=_OPEN.values("conversation")))
    if dry_run:
        return named.count()
    count, after = 0, 0
    while ids := _ids(named.filter(pk__gt=after).order_by("pk")[:BATCH]):
        count += _empty(named.filter(pk__in=ids).order_by("pk"), {"profile_name": ""}, dry_run=False)
        after = ids[-1]
    return count
