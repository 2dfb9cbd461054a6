"""The shop, its branches and when they are open."""

from __future__ import annotations

from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from orders.models.fields import (
    degrees_field,
    key_field,
    optional_price_field,
    percent_field,
    price_field,
    words_field,
)

#: Minutes a slot may last: they divide the hour, so slots fall on round times.
SLOT_MINUTES = (5, 10, 15, 20, 30, 60)


def validate_timezone(name: str) -> None:
    """Refuse a name that the time zone database doesn't know."""
    if name not in available_timezones():
        raise ValidationError(_("%(name)s is not a time zone."), params={"name": name})


class Shop(models.Model):
    """The one shop of this installation (row 1): its money, language and rules."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    key = key_field(default="shop")
    name = models.CharField(_("name"), max_length=120)
    country = models.CharField(_("country"), max_length=2, blank=True)
    locale = models.CharField(_("locale"), max_length=20, default="es-CO")
    currency = models.CharField(_("currency"), max_length=3, default="COP")
    minor_digits = models.PositiveSmallIntegerField(_("decimals of an amount"), default=2)
    prices_include_tax = models.BooleanField(_("prices include tax"), default=True)
    cash_rounding = optional_price_field(_("cash is rounded to"))
    timezone = models.CharField(_("time zone"), max_length=60, default="America/Bogota", validators=[validate_timezone])
    deposit_percent = percent_field(_("deposit (%)"), default=0)
    change_cutoff_minutes = models.PositiveIntegerField(_("changes until (minutes before)"), default=0)
    cancel_cutoff_minutes = models.PositiveIntegerField(_("cancellations until (minutes before)"), default=0)
    max_days_ahead = models.PositiveSmallIntegerField(_("orders at most (days ahead)"), default=30)
    draft_minutes = models.PositiveIntegerField(_("a draft is kept (minutes)"), default=240)
    payment_methods = words_field(_("payment methods"))

    class Meta:
        verbose_name = _("shop")
        verbose_name_plural = _("shop")
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="shop_is_one_row"),
            models.CheckConstraint(condition=Q(minor_digits__lte=2), name="shop_minor_digits"),
            models.CheckConstraint(
                condition=Q(deposit_percent__gte=0, deposit_percent__lte=100),
                name="shop_deposit_percent",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Branch(models.Model):
    """A place where orders are made and picked up, with its own clock."""

    key = key_field(unique=True)
    name = models.CharField(_("name"), max_length=120)
    aliases = words_field(_("also called"))
    letter = models.CharField(_("letter of its order numbers"), max_length=1, validators=[RegexValidator(r"^[A-Z]$")])
    timezone = models.CharField(_("time zone"), max_length=60, validators=[validate_timezone])
    address = models.CharField(_("address"), max_length=240, blank=True)
    latitude = degrees_field(_("latitude"), 90)
    longitude = degrees_field(_("longitude"), 180)
    pickup_lead_minutes = models.PositiveIntegerField(_("pick-up after (minutes)"), default=15)
    slot_minutes = models.PositiveSmallIntegerField(
        _("pick-up times every (minutes)"),
        default=15,
        choices=[(minutes, minutes) for minutes in SLOT_MINUTES],
    )
    orders_per_slot = models.PositiveSmallIntegerField(_("orders per time"), null=True, blank=True)
    delivers = models.BooleanField(_("delivers"), default=False)
    delivery_lead_minutes = models.PositiveIntegerField(_("delivery after (minutes)"), default=60)
    delivery_min_order = optional_price_field(_("smallest delivery"))
    paused_until = models.DateTimeField(_("paused until"), null=True, blank=True)
    active = models.BooleanField(_("active"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("branch")
        verbose_name_plural = _("branches")
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["letter"], condition=Q(active=True), name="branch_letter_unique"),
            models.CheckConstraint(condition=Q(slot_minutes__in=SLOT_MINUTES), name="branch_slot_minutes"),
            models.CheckConstraint(
                condition=Q(latitude__isnull=True, longitude__isnull=True)
                # A range of NULL is NULL, which a check lets pass.
                | Q(latitude__isnull=False, longitude__isnull=False)
                & Q(latitude__range=(-90, 90), longitude__range=(-180, 180)),
                name="branch_coordinates",
                violation_error_message=_("Give both latitude and longitude, or neither."),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


class Weekday(models.IntegerChoices):
    """Days as ``date.weekday()`` counts them."""

    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class WindowKind(models.TextChoices):
    """What a window of hours is for."""

    SHOP = "shop", _("shop")
    DELIVERY = "delivery", _("delivery")


class OpeningWindow(models.Model):
    """Hours of one weekday, branch-local. Closing at 00:00 means midnight.

    A day may have several; one that goes past midnight is two rows.
    """

    branch = models.ForeignKey(Branch, models.CASCADE, related_name="windows", verbose_name=_("branch"))
    weekday = models.PositiveSmallIntegerField(_("weekday"), choices=Weekday.choices)
    opens = models.TimeField(_("opens"))
    closes = models.TimeField(_("closes"))
    kind = models.CharField(_("for"), max_length=10, choices=WindowKind.choices, default=WindowKind.SHOP)

    class Meta:
        verbose_name = _("opening hours")
        verbose_name_plural = _("opening hours")
        ordering = ["branch", "kind", "weekday", "opens"]
        constraints = [
            models.UniqueConstraint(fields=["branch", "kind", "weekday", "opens"], name="window_unique"),
            models.CheckConstraint(condition=Q(opens__lt=F("closes")) | Q(closes="00:00"), name="window_opens_first"),
            models.CheckConstraint(condition=Q(weekday__lte=6), name="window_weekday"),
        ]

    def __str__(self) -> str:
        return f"{Weekday(self.weekday).label} {self.opens:%H:%M}–{self.closes:%H:%M}"


class SpecialDay(models.Model):
    """Hours that replace a date's own; without hours the branch is closed."""

    branch = models.ForeignKey(
        Branch,
        models.CASCADE,
        related_name="special_days",
        verbose_name=_("branch"),
        null=True,
        blank=True,
        help_text=_("Empty: all branches."),
    )
    date = models.DateField(_("date"))
    opens = models.TimeField(_("opens"), null=True, blank=True)
    closes = models.TimeField(_("closes"), null=True, blank=True)
    note = models.CharField(_("note"), max_length=120, blank=True)

    class Meta:
        verbose_name = _("special day")
        verbose_name_plural = _("special days")
        ordering = ["date", "opens"]
        constraints = [
            models.UniqueConstraint(
                fields=["branch", "date", "opens"],
                name="special_day_unique",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(opens__isnull=True, closes__isnull=True)
                | Q(opens__lt=F("closes"))
                | Q(opens__isnull=False, closes="00:00"),
                name="special_day_hours",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.date:%Y-%m-%d}"


class DeliveryZone(models.Model):
    """A named place a branch delivers to, for a fee."""

    branch = models.ForeignKey(Branch, models.CASCADE, related_name="zones", verbose_name=_("branch"))
    key = key_field()
    name = models.CharField(_("name"), max_length=120)
    aliases = words_field(_("also called"))
    fee = price_field(_("fee"), default=0)
    min_order = optional_price_field(_("smallest order"))

    class Meta:
        verbose_name = _("delivery zone")
        verbose_name_plural = _("delivery zones")
        ordering = ["branch", "id"]
        constraints = [
            models.UniqueConstraint(fields=["branch", "key"], name="zone_key_unique"),
            models.CheckConstraint(condition=Q(fee__gte=0), name="zone_fee_not_negative"),
        ]

    def __str__(self) -> str:
        return self.name
