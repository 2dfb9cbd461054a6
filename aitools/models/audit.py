"""What happened, append-only; written in the transaction of what it reports."""

from __future__ import annotations

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from aitools.clock import DbNow
from aitools.models.conversations import Conversation
from aitools.models.turns import ToolCall, Turn
from aitools.types import Json

#: What any call and any question reports.
COMMON = ("tool.call", "tool.result", "tool.confirm.requested", "tool.confirm.approved")


class AuditEvent(models.Model):
    """One event of design section 6; ``step`` is null for what no step did.

    Tool, call id, arguments and chat key stand in the call and its turn, which
    outlive the event, and are read from there: an order has six events, and
    each would repeat them.
    """

    at = models.DateTimeField(_("at"), db_default=DbNow())
    turn = models.ForeignKey(
        Turn,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="events",
        db_index=False,
        db_constraint=False,
    )
    tool_call = models.ForeignKey(
        ToolCall,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="events",
        db_index=False,
        db_constraint=False,
    )
    duration_ms = models.PositiveIntegerField(_("duration in ms"), null=True, blank=True)
    step = models.PositiveSmallIntegerField(_("step"), null=True, blank=True)
    kind = models.CharField(_("event"), max_length=40)
    error = models.CharField(_("error"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        indexes = [
            # Every order has the common kinds; only what is rare needs to be found by its kind.
            models.Index(fields=["kind", "-id"], name="audit_of_rare_kind", condition=~models.Q(kind__in=COMMON)),
            # Turns rise with the events' own order, so a turn's are found by the pages they can be on.
            BrinIndex(fields=["turn"], name="audit_by_turn", pages_per_range=8, autosummarize=True),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.tool}".strip()

    @property
    def conversation(self) -> Conversation | None:
        return self.turn.conversation if self.turn else None

    @property
    def chat_key(self) -> str:
        return str(self.turn.conversation_id) if self.turn else ""

    @property
    def tool(self) -> str:
        """The tool's name; "" for an event of the loop itself, as are ``call_id`` and ``arguments``."""
        return self.tool_call.name if self.tool_call else ""

    @property
    def call_id(self) -> str:
        return str(self.tool_call.call_id) if self.tool_call else ""

    @property
    def arguments(self) -> Json:
        """Personal data, until retention empties the call."""
        return self.tool_call.arguments if self.tool_call else None
