"""A turn and its parts: what was asked of the model and what came of it."""

from __future__ import annotations

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from aitools.clock import DbNow
from aitools.keys import new_key
from aitools.models.conversations import Conversation


class TurnState(models.TextChoices):
    RUNNING = "running", _("Running")
    WAITING = "waiting", _("Waiting for the customer")
    DONE = "done", _("Done")
    CANCELLED = "cancelled", pgettext_lazy("state", "Cancelled")
    FAILED = "failed", _("Failed")


OPEN_TURN = (TurnState.RUNNING, TurnState.WAITING)


class Turn(models.Model):
    """One conversation's unread messages until a reply. One open per conversation.

    ``text`` is what the customer wrote (all messages joined), ``reply`` what we
    answered: together they are the plain history of later turns.
    ``counted_from`` is the step index from which limits count (they count since
    the customer's last message).  ``failures`` counts attempts that died.
    """

    conversation = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="turns", db_index=False)
    state = models.CharField(_("state"), max_length=10, choices=TurnState.choices, default=TurnState.RUNNING)
    language = models.CharField(_("language"), max_length=10, blank=True)
    text = models.TextField(_("customer"), blank=True)
    reply = models.TextField(_("reply"), blank=True)
    counted_from = models.PositiveSmallIntegerField(default=0, editable=False)
    read_to = models.BigIntegerField(default=0, editable=False, help_text="The newest inbox_seq that it read.")
    failures = models.PositiveSmallIntegerField(_("failed attempts"), default=0)
    failure = models.CharField(_("failure"), max_length=300, blank=True)
    started_at = models.DateTimeField(_("started"), db_default=DbNow())
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"],
                name="turn_one_open",
                condition=Q(state__in=["running", "waiting"]),
            )
        ]
        indexes = [
            models.Index(fields=["conversation", "-id"], name="turn_by_conversation"),
        ]

    def __str__(self) -> str:
        return f"{_('turn')} {self.pk}"


class Step(models.Model):
    """One model reply, with the vendor's own form; or one made by our code.

    ``index`` counts from 1 in the turn.  ``raw`` may go back only to the same
    ``provider`` kind; a step of our code has provider "code" and no raw form.
    ``cost`` is what the endpoint's prices make of its tokens, null where they are unknown.
    ``nudge`` is the corrective line that asked for it, ``facts`` what the model
    was told besides the talk (null: the same as in the step before).
    """

    pk = models.CompositePrimaryKey("turn", "index")
    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="steps", db_index=False)
    index = models.PositiveSmallIntegerField(_("step"))
    provider = models.CharField(_("provider"), max_length=20)
    model = models.CharField(_("model"), max_length=120, blank=True)
    nudge = models.TextField(_("corrective line"), blank=True)
    facts = models.JSONField(_("facts"), null=True, blank=True)
    text = models.TextField(_("text"), blank=True)
    raw = models.JSONField(null=True, blank=True)
    stop = models.CharField(_("stop"), max_length=24)
    raw_stop = models.CharField(max_length=60, blank=True)
    request_id = models.CharField(_("request id"), max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(_("input tokens"), default=0)
    output_tokens = models.PositiveIntegerField(_("output tokens"), default=0)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), default=0)
    cost = models.DecimalField(_("cost in US dollars"), max_digits=12, decimal_places=6, null=True, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration in ms"), default=0)
    created_at = models.DateTimeField(_("at"), db_default=DbNow())

    class Meta:
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ["turn_id", "index"]
        indexes = [
            # A day's costs lie together: one is summed by the pages it can be on.
            BrinIndex(fields=["created_at"], name="step_costs", condition=Q(cost__isnull=False), autosummarize=True)
        ]

    def __str__(self) -> str:
        return f"{_('step')} {self.index}"


class CallState(models.TextChoices):
    REQUESTED = "requested", _("Requested")
    WAITING = "waiting", _("Waiting for a yes")
    APPROVED = "approved", _("Approved")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    REFUSED = "refused", _("Refused by our rules")
    DECLINED = "declined", _("Declined by the customer")
    REPLIED = "replied", _("Answered with something else")
    EXPIRED = "expired", _("Expired")
    CANCELLED = "cancelled", pgettext_lazy("state", "Cancelled")
    UNKNOWN = "unknown", _("Outcome unknown")


UNSETTLED_CALL = (CallState.REQUESTED, CallState.WAITING, CallState.APPROVED, CallState.RUNNING)


class ToolCall(models.Model):
    """One requested call and its outcome; also the audit of what was done.

    ``step`` is the index of the turn's step that asked, ``position`` the place in it.
    ``arguments`` is what the model asked (null when it was not a JSON object), and
    exactly what will run once the customer is asked.  ``result`` is the text the
    model reads, ``value`` the handler's result as JSON.
    ``attempt`` fences runs: only the newest may commit.
    """

    turn = models.ForeignKey(Turn, on_delete=models.PROTECT, related_name="calls", db_index=False)
    step = models.PositiveSmallIntegerField(_("step"))
    position = models.PositiveSmallIntegerField(_("position"))
    call_id = models.UUIDField(_("call id"), default=new_key, editable=False)
    vendor_id = models.CharField(max_length=255, blank=True)
    name = models.CharField(_("tool"), max_length=128)
    arguments = models.JSONField(_("arguments"), null=True, blank=True)
    digest = models.CharField(max_length=22, blank=True, editable=False)
    state = models.CharField(_("state"), max_length=10, choices=CallState.choices, default=CallState.REQUESTED)
    attempt = models.PositiveSmallIntegerField(default=0)
    result = models.TextField(_("result"), blank=True)
    value = models.JSONField(null=True, blank=True)
    is_error = models.BooleanField(_("error"), default=False)
    duration_ms = models.PositiveIntegerField(_("duration in ms"), null=True, blank=True)
    created_at = models.DateTimeField(_("at"), db_default=DbNow())
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        ordering = ["-id"]
        # Found by their turn: an outcome then changes no index, and writes little.
        constraints = [models.UniqueConstraint(fields=["turn", "step", "position"], name="call_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.pk}"

    @property
    def is_settled(self) -> bool:
        return self.state not in UNSETTLED_CALL
