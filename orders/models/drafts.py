"""The order being talked about."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from orders.models.shop import Branch


class Draft(models.Model):
    """What a conversation is about to order; it has no price until asked.

    ``lines`` is a list of items as the tools take them (product and variant
    keys, ``"list:option"`` keys), so prices are always of the moment.  A draft
    written in another ``epoch`` of its conversation is void: that is how a
    reset drops it.  ``expires_at`` is aware UTC.
    """

    conversation = models.OneToOneField(
        "aitools.Conversation",
        models.CASCADE,
        related_name="order_draft",
        verbose_name=_("conversation"),
    )
    epoch = models.PositiveIntegerField(_("epoch"))
    lines = models.JSONField(_("lines"), default=list)
    branch = models.ForeignKey(Branch, models.SET_NULL, null=True, blank=True, verbose_name=_("branch"))
    pickup_at = models.DateTimeField(_("pick-up"), null=True, blank=True)
    name = models.CharField(_("name"), max_length=120, blank=True)
    note = models.CharField(_("note"), max_length=300, blank=True)
    expires_at = models.DateTimeField(_("kept until"))

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")

    def __str__(self) -> str:
        return f"#{self.pk}"
