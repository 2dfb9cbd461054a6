"""The question before an effect: one row, and the row is the authority."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from aitools.clock import DbNow
from aitools.keys import new_key
from aitools.models.conversations import Conversation
from aitools.models.messages import InboundEvent, OutboundMessage
from aitools.models.turns import ToolCall


class PendingConfirmation(models.Model):
    """What the customer was asked, frozen: arguments, prices, wording, schema.

    ``key`` is what buttons carry.  ``asked_at`` is the first send attempt;
    only what arrives after it can answer, and ``expires_at`` runs from it.
    ``answered_seq`` is the newest inbox_seq of the burst that settled it.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        APPROVED = "approved", _("Yes")
        DECLINED = "declined", _("No")
        REPLIED = "replied", _("Something else")
        EXPIRED = "expired", _("Expired")
        CANCELLED = "cancelled", _("Cancelled")

    key = models.UUIDField(default=new_key, editable=False)
    conversation = models.ForeignKey(
        Conversation, on_delete=models.PROTECT, related_name="confirmations", db_index=False
    )
    call = models.OneToOneField(ToolCall, on_delete=models.PROTECT, related_name="confirmation")
    message = models.OneToOneField(OutboundMessage, on_delete=models.PROTECT, related_name="confirmation")
    tool = models.CharField(_("tool"), max_length=64)
    schema_hash = models.CharField(max_length=16, editable=False)
    arguments = models.JSONField(_("arguments"))
    digest = models.CharField(max_length=64, editable=False)
    fingerprint = models.JSONField(_("agreed values"), null=True, blank=True)
    language = models.CharField(_("language"), max_length=10)
    question = models.TextField(_("question"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.PENDING)
    expires_after_seconds = models.PositiveIntegerField(default=120, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=DbNow())
    asked_at = models.DateTimeField(_("asked"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    answered_seq = models.BigIntegerField(null=True, blank=True, editable=False)
    answered_by = models.ForeignKey(
        InboundEvent, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )

    class Meta:
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                name="confirmation_one_pending",
                condition=Q(state="pending"),
            )
        ]
        indexes = [
            models.Index(fields=["conversation", "-id"], name="confirmation_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.pk}"

    def is_timely(self, received_at: datetime) -> bool:
        """Whether something received then may answer: after the question, in time."""
        if self.asked_at is None or self.expires_at is None:
            return False
        return self.asked_at <= received_at <= self.expires_at
