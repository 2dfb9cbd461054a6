"""The question before an effect: one row, and the row is the authority."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from aitools.clock import DbNow
from aitools.models.conversations import Conversation
from aitools.models.messages import InboundEvent, OutboundMessage
from aitools.models.turns import ToolCall
from aitools.types import Json


class PendingConfirmation(models.Model):
    """What the customer was asked, frozen: arguments, prices, wording, schema.

    The arguments are the call's, which nothing changes from here on, and the
    ``digest`` proves it.  The words are the message's; ``long_question`` is empty
    unless they went in parts, of which ``message`` is the last.  The message's key
    is what buttons carry.  ``asked_at`` is the first send attempt; only what
    arrives after it can answer, and ``expires_at`` runs from it.  ``answered_seq``
    is the newest inbox_seq of the burst that settled it.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Waiting")
        APPROVED = "approved", _("Yes")
        DECLINED = "declined", _("No")
        REPLIED = "replied", _("Something else")
        EXPIRED = "expired", _("Expired")
        CANCELLED = "cancelled", pgettext_lazy("state", "Cancelled")

    # No constraints but the conversation's: each would lock a row that nothing deletes, and write that down.
    call = models.OneToOneField(
        ToolCall, primary_key=True, on_delete=models.PROTECT, related_name="confirmation", db_constraint=False
    )
    conversation = models.ForeignKey(
        Conversation, on_delete=models.PROTECT, related_name="confirmations", db_index=False
    )
    message = models.ForeignKey(
        OutboundMessage, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    schema_hash = models.CharField(max_length=16, editable=False)
    digest = models.CharField(max_length=22, editable=False)
    fingerprint = models.JSONField(_("agreed values"), null=True, blank=True)
    language = models.CharField(_("language"), max_length=10)
    long_question = models.TextField(blank=True, editable=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.PENDING)
    expires_after_seconds = models.PositiveIntegerField(default=120, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=DbNow())
    asked_at = models.DateTimeField(_("asked"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    answered_seq = models.BigIntegerField(null=True, blank=True, editable=False)
    answered_by = models.ForeignKey(
        InboundEvent,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        verbose_name = _("confirmation")
        verbose_name_plural = _("confirmations")
        ordering = ["-call_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                name="confirmation_one_pending",
                condition=Q(state="pending"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.pk}"

    @property
    def key(self) -> UUID:
        """What its buttons carry."""
        return self.message.key

    @property
    def tool(self) -> str:
        return self.call.name

    @property
    def arguments(self) -> Json:
        """Exactly as they will run; personal data."""
        return self.call.arguments

    @property
    def question(self) -> str:
        return self.long_question or self.message.text

    def is_timely(self, received_at: datetime) -> bool:
        """Whether something received then may answer: after the question, in time."""
        if self.asked_at is None or self.expires_at is None:
            return False
        return self.asked_at <= received_at <= self.expires_at
