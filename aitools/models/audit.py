"""What happened, append-only; written in the transaction of what it reports."""

from __future__ import annotations

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from aitools.clock import DbNow
from aitools.models.conversations import Conversation
from aitools.models.turns import Turn

#: What any call and any question reports.
COMMON = ("tool.call", "tool.result", "tool.confirm.requested", "tool.confirm.approved")


class AuditEvent(models.Model):
    """One event of design section 6. ``arguments`` are personal data."""

    at = models.DateTimeField(_("at"), db_default=DbNow())
    kind = models.CharField(_("event"), max_length=40)
    conversation = models.ForeignKey(
        Conversation,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="events",
        db_index=False,
        db_constraint=False,
    )
    turn = models.ForeignKey(
        Turn, null=True, blank=True, on_delete=models.PROTECT, related_name="events", db_constraint=False
    )
    step = models.PositiveSmallIntegerField(_("step"), null=True, blank=True)
    tool = models.CharField(_("tool"), max_length=128, blank=True)
    call_id = models.CharField(_("call"), max_length=64, blank=True)
    chat_key = models.CharField(_("chat"), max_length=64, blank=True)
    arguments = models.JSONField(_("arguments"), null=True, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration in ms"), null=True, blank=True)
    error = models.CharField(_("error"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        indexes = [
            # Every order has the common kinds; only what is rare needs to be found by its kind.
            models.Index(fields=["kind", "-id"], name="audit_of_rare_kind", condition=~models.Q(kind__in=COMMON)),
            BrinIndex(fields=["at"], name="audit_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.tool}".strip()
