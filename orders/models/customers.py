"""Who orders. A customer is known by the addresses they write from."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from aitools.channels.names import channel_title
from aitools.clock import DbNow


class Customer(models.Model):
    """A person; the phone is an attribute and may be missing."""

    name = models.CharField(_("name"), max_length=120, blank=True)
    phone = models.CharField(_("phone"), max_length=20, blank=True, db_index=True)
    blocked = models.BooleanField(_("blocked"), default=False)
    staff_note = models.TextField(_("note of the staff"), blank=True)
    created_at = models.DateTimeField(_("since"), db_default=DbNow(), editable=False)

    class Meta:
        verbose_name = _("customer")
        verbose_name_plural = _("customers")
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name or self.phone or f"#{self.pk}"


class CustomerContact(models.Model):
    """One address of a customer on one channel, as replies must use it.

    ``phone_key`` is equal for all ways of writing one phone number; it is for
    finding, never for sending. Empty when the address is no phone number.
    """

    customer = models.ForeignKey(Customer, models.CASCADE, related_name="contacts", verbose_name=_("customer"))
    channel = models.CharField(_("channel"), max_length=40)
    address = models.CharField(_("address"), max_length=200)
    phone_key = models.CharField(max_length=20, blank=True, editable=False)

    class Meta:
        verbose_name = _("contact")
        verbose_name_plural = _("contacts")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["channel", "address"], name="contact_unique"),
        ]
        indexes = [
            models.Index(fields=["phone_key"], name="contact_phone", condition=~models.Q(phone_key="")),
        ]

    def __str__(self) -> str:
        return f"{channel_title(self.channel)}: {self.address}"
