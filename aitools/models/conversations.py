"""A conversation: one customer address on one of our accounts."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from aitools.channels.names import channel_title
from aitools.clock import DbNow


class Mode(models.TextChoices):
    BOT = "bot", _("Bot")
    HUMAN = "human", _("Person")


class Conversation(models.Model):
    """Who is being talked to, and who may work on it right now.

    ``inbox_seq`` counts talk received; ``read_seq`` is how far turns have read.
    ``epoch`` rises when what is under way must not commit any more (take-over,
    /reset, opt-out).  The lease belongs to the worker that runs turns, the send
    lease to the one that delivers.  ``wake_at`` is when unread talk is due.
    """

    channel = models.CharField(_("channel"), max_length=30)
    account = models.CharField(_("our account"), max_length=150, blank=True)
    address = models.CharField(_("address"), max_length=150)
    phone = models.CharField(_("phone"), max_length=20, blank=True)
    profile_name = models.CharField(_("profile name"), max_length=120, blank=True)
    language = models.CharField(_("language"), max_length=10, blank=True)
    language_fixed = models.BooleanField(_("language set by staff"), default=False)

    mode = models.CharField(_("mode"), max_length=10, choices=Mode.choices, default=Mode.BOT)
    mode_until = models.DateTimeField(_("person until"), null=True, blank=True)
    needs_staff = models.BooleanField(_("waits for staff"), default=False)
    opted_out_at = models.DateTimeField(_("opted out"), null=True, blank=True)

    inbox_seq = models.BigIntegerField(default=0, editable=False)
    read_seq = models.BigIntegerField(default=0, editable=False)
    epoch = models.IntegerField(default=0, editable=False)
    history_from = models.BigIntegerField(default=0, editable=False, help_text="Turns with a smaller id were reset.")
    last_done_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When a tool that is remembered succeeded last, or later."
    )
    forgotten_at = models.DateTimeField(null=True, blank=True, editable=False)
    wake_at = models.DateTimeField(null=True, blank=True, editable=False)
    first_unread_at = models.DateTimeField(null=True, blank=True, editable=False)
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    send_token = models.UUIDField(null=True, blank=True, editable=False)
    send_until = models.DateTimeField(null=True, blank=True, editable=False)

    last_inbound_at = models.DateTimeField(_("last message"), null=True, blank=True)
    created_at = models.DateTimeField(_("since"), db_default=DbNow())

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ["-last_inbound_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "account", "address"], name="conversation_once_per_address"),
            models.CheckConstraint(
                condition=models.Q(read_seq__lte=models.F("inbox_seq")),
                name="conversation_reads_what_exists",
            ),
        ]
        indexes = [
            # None on what every message changes: such an update then touches no index. There are
            # few conversations beside their messages; what sorts them all reads them all.
            models.Index(fields=["id"], name="conversation_waiting", condition=models.Q(needs_staff=True)),
            models.Index(fields=["phone"], name="conversation_by_phone", condition=~models.Q(phone="")),
        ]

    def __str__(self) -> str:
        return self.profile_name or self.address

    @property
    def channel_title(self) -> str:
        return channel_title(self.channel)

    @property
    def has_unread(self) -> bool:
        return self.read_seq < self.inbox_seq

    def is_with_person(self, at: datetime) -> bool:
        """Whether a person, not the bot, answers at this time."""
        if self.mode != Mode.HUMAN:
            return False
        return self.mode_until is None or self.mode_until > at
