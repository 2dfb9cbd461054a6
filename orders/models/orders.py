"""Orders as they were agreed, their lines and everything that happened to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from aitools.clock import DbNow
from orders.models.customers import Customer
from orders.models.fields import money_field, percent_field
from orders.models.menu import Option, Product, Variant
from orders.models.shop import Branch


class OrderState(models.TextChoices):
    """Where an order is on its way to the customer."""

    ACCEPTED = "accepted", _("accepted")
    PREPARING = "preparing", _("in preparation")
    READY = "ready", _("ready")
    PICKED_UP = "picked_up", _("picked up")
    NO_SHOW = "no_show", _("not picked up")
    CANCELLED = "cancelled", _("cancelled")


#: States in which somebody still has something to do.
OPEN_STATES = (OrderState.ACCEPTED, OrderState.PREPARING, OrderState.READY)


class OrderQuerySet(models.QuerySet["Order"]):
    """Ways of finding orders."""

    def open(self) -> OrderQuerySet:
        return self.filter(state__in=OPEN_STATES)

    def counted(self) -> OrderQuerySet:
        """Orders that are sales: all but cancelled ones."""
        return self.exclude(state=OrderState.CANCELLED)

    def of(self, customer: Customer | None) -> OrderQuerySet:
        """Only this customer's own, newest first; none of nobody's."""
        if customer is None:
            return self.none()
        return self.filter(customer=customer).order_by("-id")


class Order(models.Model):
    """One order. Its number is said aloud and restarts daily, its code is for links.

    ``due_at`` is aware UTC; ``business_date`` is the branch's date of it.
    ``subtotal`` is the sum of the lines; ``tax`` is inside it or, where prices
    are before tax, added to it.  ``version`` grows with every change.
    """

    code = models.CharField(_("code"), max_length=6, unique=True)
    branch = models.ForeignKey(Branch, models.PROTECT, related_name="orders", verbose_name=_("branch"))
    business_date = models.DateField(_("day"))
    day_no = models.PositiveIntegerField(_("number of the day"))
    customer = models.ForeignKey(Customer, models.PROTECT, related_name="orders", verbose_name=_("customer"))
    name = models.CharField(_("for"), max_length=120)
    channel = models.CharField(_("channel"), max_length=40)
    state = models.CharField(_("state"), max_length=12, choices=OrderState.choices, default=OrderState.ACCEPTED)
    due_at = models.DateTimeField(_("pick-up"))
    currency = models.CharField(_("currency"), max_length=3)
    subtotal = money_field(_("subtotal"))
    tax = money_field(_("tax"))
    prices_include_tax = models.BooleanField(_("prices include tax"))
    total = money_field(_("total"))
    note = models.CharField(_("note"), max_length=300, blank=True)
    cancel_reason = models.CharField(_("cancelled because"), max_length=200, blank=True)
    version = models.PositiveIntegerField(_("version"), default=1)
    tool_call = models.OneToOneField(
        "aitools.ToolCall",
        models.PROTECT,
        related_name="order",
        null=True,
        blank=True,
        editable=False,
        verbose_name=_("tool call"),
    )
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        verbose_name=_("taken by"),
    )
    created_at = models.DateTimeField(_("ordered at"), db_default=DbNow())

    objects = OrderQuerySet.as_manager()

    class Meta:
        verbose_name = _("order")
        verbose_name_plural = _("orders")
        ordering = ["-id"]
        permissions = [
            ("see_money", _("Can see amounts and reports")),
            ("prepare_order", _("Can start orders and mark them ready")),
        ]
        constraints = [
            models.UniqueConstraint(fields=["branch", "business_date", "day_no"], name="order_number_unique"),
            models.CheckConstraint(
                condition=Q(prices_include_tax=True, total=F("subtotal"))
                | Q(prices_include_tax=False, total=F("subtotal") + F("tax")),
                name="order_total_is_the_sum",
            ),
            models.CheckConstraint(condition=Q(subtotal__gte=0, tax__gte=0), name="order_money_not_negative"),
            models.CheckConstraint(condition=Q(state__in=OrderState.values), name="order_state_known"),
        ]
        indexes = [
            models.Index(fields=["business_date", "branch", "state"], name="order_day"),
            models.Index(fields=["customer", "-id"], name="order_of_customer"),
            models.Index(fields=["branch", "due_at"], name="order_open", condition=Q(state__in=OPEN_STATES)),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def number(self) -> str:
        """What is said aloud, such as ``C-17``."""
        return f"{self.branch.letter}-{self.day_no}"

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_STATES


class OrderLine(models.Model):
    """One line as sold: names and prices stay whatever happens to the menu."""

    order = models.ForeignKey(Order, models.CASCADE, related_name="lines", verbose_name=_("order"))
    position = models.PositiveSmallIntegerField(_("position"))
    product = models.ForeignKey(Product, models.PROTECT, related_name="order_lines", verbose_name=_("product"))
    variant = models.ForeignKey(
        Variant,
        models.PROTECT,
        related_name="order_lines",
        null=True,
        blank=True,
        verbose_name=_("variant"),
    )
    name = models.CharField(_("name"), max_length=120)
    variant_name = models.CharField(_("variant"), max_length=120, blank=True)
    quantity = models.PositiveIntegerField(_("quantity"))
    unit_price = money_field(_("unit price"))
    pack_size = models.PositiveIntegerField(_("pieces in one"), null=True, blank=True)
    note = models.CharField(_("note"), max_length=200, blank=True)
    tax_rate = percent_field(_("tax (%)"))
    line_total = money_field(_("total"))

    class Meta:
        verbose_name = _("order line")
        verbose_name_plural = _("order lines")
        ordering = ["order", "position"]
        constraints = [
            models.UniqueConstraint(fields=["order", "position"], name="line_position_unique"),
            models.CheckConstraint(condition=Q(quantity__gte=1), name="line_quantity"),
            models.CheckConstraint(
                condition=Q(line_total=F("unit_price") * F("quantity")), name="line_total_is_product"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} × {self.name}"


class OrderLineOption(models.Model):
    """A choice made for a line, as it was named and priced then."""

    line = models.ForeignKey(OrderLine, models.CASCADE, related_name="options", verbose_name=_("order line"))
    option = models.ForeignKey(Option, models.PROTECT, related_name="order_lines", verbose_name=_("option"))
    list_name = models.CharField(_("option list"), max_length=120)
    name = models.CharField(_("name"), max_length=120)
    price_delta = money_field(_("added price"))

    class Meta:
        verbose_name = _("chosen option")
        verbose_name_plural = _("chosen options")
        ordering = ["line", "id"]
        constraints = [
            models.UniqueConstraint(fields=["line", "option"], name="line_option_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.list_name}: {self.name}"


class Actor(models.TextChoices):
    """Who did something to an order."""

    CUSTOMER = "customer", _("customer")
    STAFF = "staff", _("staff")
    SYSTEM = "system", _("system")


class EventKind(models.TextChoices):
    """What can happen to an order."""

    PLACED = "placed", _("placed")
    CHANGED = "changed", _("changed")
    STATE = "state", _("moved on")
    CANCELLED = "cancelled", _("cancelled")


class OrderEvent(models.Model):
    """Something that happened to an order; rows are only ever added.

    ``before`` and ``after`` are the order's summary as JSON (lines, total,
    due time, state), null where there was none.
    """

    order = models.ForeignKey(Order, models.CASCADE, related_name="events", verbose_name=_("order"))
    at = models.DateTimeField(_("at"), db_default=DbNow())
    actor = models.CharField(_("by"), max_length=10, choices=Actor.choices)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        verbose_name=_("user"),
    )
    what = models.CharField(_("what"), max_length=10, choices=EventKind.choices)
    before = models.JSONField(_("before"), null=True, blank=True)
    after = models.JSONField(_("after"), null=True, blank=True)

    class Meta:
        verbose_name = _("order event")
        verbose_name_plural = _("order events")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{EventKind(self.what).label} {self.at:%Y-%m-%d %H:%M}"


class DayCounter(models.Model):
    """The last order number given by a branch for a date; one row lock per number."""

    branch = models.ForeignKey(Branch, models.CASCADE)
    business_date = models.DateField()
    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["branch", "business_date"], name="day_counter_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.business_date}: {self.last}"


class DayStock(models.Model):
    """Units of a limited product already promised by a branch for a date."""

    branch = models.ForeignKey(Branch, models.CASCADE, verbose_name=_("branch"))
    product = models.ForeignKey(Product, models.CASCADE, verbose_name=_("product"))
    date = models.DateField(_("date"))
    taken = models.PositiveIntegerField(_("taken"), default=0)

    class Meta:
        verbose_name = _("stock of a day")
        verbose_name_plural = _("stock of days")
        constraints = [
            models.UniqueConstraint(fields=["branch", "product", "date"], name="day_stock_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.product} {self.date}: {self.taken}"
