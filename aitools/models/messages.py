"""Inbox and outbox: what came, and what is to be said."""

from __future__ import annotations

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from aitools.channels.base import DeliveryStatus, EventKind
from aitools.clock import DbNow
from aitools.keys import new_key
from aitools.models.conversations import Conversation
from aitools.types import Button


class InboundState(models.TextChoices):
    """To whom an event goes; talk for the bot is read once its ``seq`` is at most the conversation's ``read_seq``."""

    UNREAD = "unread", _("Not applied")
    BOT = "bot", _("For the bot")
    STAFF = "staff", _("Left to staff")
    APPLIED = "applied", _("Applied")


class InboundQuerySet(models.QuerySet["InboundEvent"]):
    def newest(self, limit: int) -> models.QuerySet[InboundEvent]:
        """The newest of one conversation, newest first: talk by its number, the rest by an index of its own."""
        talk = self.filter(seq__isnull=False).order_by("-seq")[:limit]
        rest = self.filter(seq__isnull=True).order_by("-id")[:limit]
        return talk.union(rest, all=True).order_by("-id")[:limit]


class InboundEvent(models.Model):
    """One inbound event; unique on (channel, provider id), so repeats do nothing.

    ``seq`` is the conversation's ``inbox_seq`` at arrival for talk (messages and
    presses), null for the rest.  ``sent_at`` is the vendor's time, ``received_at``
    ours.  The turn that read talk is the first with ``read_to`` at ``seq`` or later.
    """

    conversation = models.ForeignKey(
        Conversation,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="inbound",
        db_index=False,
        # Nobody need look whether it is there: the same transaction has just numbered the talk on it.
        db_constraint=False,
    )
    channel = models.CharField(_("channel"), max_length=30)
    provider_id = models.CharField(_("provider's id"), max_length=255)
    kind = models.CharField(_("kind"), max_length=10, choices=[(kind.value, kind.value) for kind in EventKind])
    message_kind = models.CharField(_("message kind"), max_length=20, default="text")
    seq = models.BigIntegerField(null=True, blank=True, editable=False)
    state = models.CharField(_("state"), max_length=10, choices=InboundState.choices, default=InboundState.UNREAD)
    text = models.TextField(_("text"), blank=True)
    payload = models.CharField(_("button"), max_length=256, blank=True)
    media = models.JSONField(_("media"), default=list, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    reply_to = models.CharField(max_length=255, blank=True)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    received_at = models.DateTimeField(_("received"), db_default=DbNow())

    objects = InboundQuerySet.as_manager()

    class Meta:
        verbose_name = _("inbound message")
        verbose_name_plural = _("inbound messages")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "provider_id"], name="inbound_once"),
            models.UniqueConstraint(
                fields=["conversation", "seq"], name="inbound_seq_once", condition=Q(seq__isnull=False)
            ),
        ]
        indexes = [
            models.Index(fields=["conversation", "id"], name="inbound_not_talk", condition=Q(seq__isnull=True)),
            models.Index(fields=["received_at"], name="inbound_unread", condition=Q(state="unread")),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.kind} {self.pk}"


class OutboundState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    SENDING = "sending", _("Sending")
    SENT = "sent", _("Sent")
    UNCERTAIN = "uncertain", _("Uncertain")
    FAILED = "failed", _("Failed")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class OutboundMessage(models.Model):
    """One message to a customer, sent in order of ``id`` per conversation.

    ``state`` is ours, ``status`` what the vendor said last (forward only).
    ``attempted_at`` is committed before each send.  ``key`` is public: it
    travels with the message and comes back in status callbacks.
    """

    class Kind(models.TextChoices):
        REPLY = "reply", _("Reply")
        QUESTION = "question", _("Question")
        NOTICE = "notice", _("Notice")
        STAFF = "staff", _("Staff")

    key = models.UUIDField(default=new_key, editable=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="outbound", db_index=False)
    turn = models.ForeignKey(
        "aitools.Turn", null=True, blank=True, on_delete=models.PROTECT, related_name="outbound", db_index=False
    )
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices, default=Kind.REPLY)
    text = models.TextField(_("text"))
    call = models.ForeignKey(
        "aitools.ToolCall",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text="What a question is about.",
    )
    buttons = models.JSONField(null=True, blank=True, help_text='[["yes", "Sí"], …], shown where possible.')
    choice = models.CharField(
        _("answered with"), max_length=60, blank=True, help_text="The title of the button chosen, once it was."
    )
    state = models.CharField(_("state"), max_length=10, choices=OutboundState.choices, default=OutboundState.QUEUED)
    status = models.CharField(
        _("delivery"),
        max_length=10,
        blank=True,
        choices=[(status.value, status.value) for status in DeliveryStatus],
    )
    provider_id = models.CharField(_("provider's id"), max_length=255, blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    attempted_at = models.DateTimeField(_("last attempt"), null=True, blank=True)
    due_at = models.DateTimeField(_("due"), db_default=DbNow())
    give_up_at = models.DateTimeField(null=True, blank=True, editable=False)
    possibly_repeated = models.BooleanField(_("possibly repeated"), default=False)
    error_code = models.CharField(_("error code"), max_length=20, blank=True)
    error = models.CharField(_("error"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created"), db_default=DbNow())
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)

    class Meta:
        verbose_name = _("outbound message")
        verbose_name_plural = _("outbound messages")
        ordering = ["id"]
        indexes = [
            models.Index(fields=["conversation", "id"], name="outbound_by_conversation"),
            models.Index(
                fields=["due_at"],
                name="outbound_open",
                condition=Q(state__in=["queued", "sending", "uncertain"]),
            ),
            models.Index(fields=["-id"], name="outbound_to_look_at", condition=Q(state__in=["failed", "uncertain"])),
            models.Index(fields=["provider_id"], name="outbound_provider_id", condition=~Q(provider_id="")),
            # Keys rise with time, so one is found by the pages it can be on.
            BrinIndex(fields=["key"], name="outbound_by_key", pages_per_range=8, autosummarize=True),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def choices(self) -> tuple[Button, ...]:
        """Its buttons as they travel: each with an id that names this message, so a press answers nothing else."""
        return tuple(Button(self.button_id(name), title) for name, title in self.buttons or ())

    def button_id(self, name: str) -> str:
        return f"confirm:{self.key}:{name}"
