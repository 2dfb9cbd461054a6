"""One pass of a worker over a conversation: what it read with its lease, and how it commits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from aitools import behaviour, bursts, leases, memory, metrics, wording
from aitools.arrivals import LONGEST_SETTLE_SECONDS
from aitools.behaviour import Behaviour
from aitools.bursts import Burst
from aitools.channels.base import EventKind
from aitools.contexts import context_of
from aitools.leases import Claim, Lease
from aitools.models import BotProfile, Conversation, ToolCall
from aitools.models.turns import OPEN_TURN
from aitools.tools import ToolContext, ToolSet, registry
from aitools.turnrows import TurnRows
from aitools.types import Json, Prompt
from aitools.wording import Wording


@dataclass
class Work:
    """A leased conversation, its unread talk and its open turn.

    ``rows`` is None while there is no turn.  ``is_over`` once the lease was
    given back, ``has_more`` if talk arrived that nobody has read.
    """

    lease: Lease
    conversation: Conversation
    behaviour: Behaviour
    burst: Burst
    earlier: tuple[tuple[str, str], ...]
    claimed_at: datetime
    open_turn_id: int | None = None
    newest_said_id: int | None = None
    rows: TurnRows | None = None
    is_over: bool = False
    has_more: bool = False
    started: float = field(default_factory=time.monotonic)

    @property
    def profile(self) -> BotProfile:
        return self.behaviour.profile

    @property
    def turn_rows(self) -> TurnRows:
        """The rows of the turn under way."""
        if self.rows is None:
            raise RuntimeError("there is no turn yet")
        return self.rows

    @property
    def now(self) -> datetime:
        """Database time: what the claim said, and how long ago that was."""
        return self.claimed_at + timedelta(seconds=time.monotonic() - self.started)

    @property
    def read_to(self) -> int:
        """The newest talk that was read, by this turn or without one."""
        return max(self.conversation.read_seq, self.rows.turn.read_to if self.rows else 0)

    @property
    def language(self) -> str:
        """The conversation's, among those that there are texts for."""
        return wording.language_for(self.conversation.language, self.profile.language)

    @property
    def wording(self) -> Wording:
        return self.behaviour.wording(self.conversation.language)

    @cached_property
    def tools(self) -> ToolSet:
        return ToolSet(registry.all(), self.ctx())

    @cached_property
    def memory(self) -> memory.Memory:
        turn = self.rows.turn.pk if self.rows else None
        return memory.recall(self.conversation, self.now, except_turn=turn)

    @cached_property
    def prompt(self) -> Prompt:
        """What the shop tells the model now; made once in a pass, and anew after an effect."""
        built: Prompt = import_string(settings.AITOOLS_PROMPT_BUILDER)(self.ctx())
        return built

    def forget_prompt(self) -> None:
        """An effect may have changed the facts."""
        self.__dict__.pop("prompt", None)

    def ctx(self, call: ToolCall | None = None, agreed: Json = None) -> ToolContext:
        return context_of(self.conversation, self.now, call=call, agreed=agreed, language=self.language)

    @contextmanager
    def commit(self) -> Iterator[TurnRows]:
        """A transaction for the turn's rows; undone, they are as before in memory too.

        The block takes the conversation's row first (``leases.hold``,
        ``give_back`` or ``fence``), then stores the rows it is given, then what
        refers to them.
        """
        rows = self.turn_rows
        before = rows.unsaved()
        try:
            with transaction.atomic(durable=True):
                yield rows
        except BaseException:
            rows.unstored(before)
            raise
        if rows.turn_changed and rows.turn.state not in OPEN_TURN:
            metrics.turn_ended(rows.turn.state)
        rows.stored()

    def flush(self) -> None:
        """Store the turn so far and keep the lease: an effect comes next."""
        with self.commit() as rows:
            self.hold()
            rows.store()

    def hold(self, *, needs_staff: bool = False) -> None:
        """Lock the conversation in this transaction and keep the lease; LeaseLost without it."""
        leases.hold(self.lease, **self.marks(needs_staff=needs_staff).columns)

    def try_to_give_back(self) -> bool:
        """Free the lease in this transaction if all talk was read; False if not, LeaseLost without it."""
        self.is_over = leases.give_back(self.lease, self.marks())
        if not self.is_over:
            leases.fence(self.lease)
        return self.is_over

    def give_back(self, *, needs_staff: bool = False) -> None:
        """Free the lease in this transaction; what is still unread is looked at next."""
        marks = self.marks(needs_staff=needs_staff)
        if not leases.give_back(self.lease, marks):
            leases.hold(self.lease, **marks.columns)
            leases.hold(self.lease, lease_token=None, lease_until=None, **self._due_next())
            self.has_more = True
        self.is_over = True

    def _due_next(self) -> dict[str, datetime]:
        """When what came meanwhile has settled: that burst began after what this turn has read."""
        later = bursts.unread(self.conversation.pk, self.read_to).events
        if not later:
            return {}
        first, last = later[0].received_at, later[-1].received_at
        settle = 0 if later[-1].kind == EventKind.PRESS else self.profile.settle_seconds
        due = min(last + timedelta(seconds=settle), first + timedelta(seconds=LONGEST_SETTLE_SECONDS))
        return {"first_unread_at": first, "wake_at": due}

    def marks(self, *, needs_staff: bool = False) -> leases.Marks:
        """What this turn has read and done, for the conversation's row."""
        done_at = self.now if self.memory.has_done_now(self.turn_rows.calls) else None
        return leases.Marks(self.read_to, self.conversation.language, done_at, needs_staff)


def begin(claim: Claim) -> Work:
    """What a claim read, as work."""
    burst = bursts.from_json(claim.unread)
    in_force = behaviour.at(claim.behaviour_version)
    earlier = claim.earlier[: in_force.profile.history_turns]
    return Work(
        claim.lease,
        claim.conversation,
        in_force,
        burst,
        earlier,
        claim.now,
        open_turn_id=claim.open_turn_id,
        newest_said_id=claim.newest_said_id,
    )
