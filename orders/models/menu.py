"""What the shop sells: categories, products, variants and option lists."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from orders.models.fields import key_field, money_field, optional_price_field, percent_field, price_field, words_field
from orders.models.shop import Branch, Weekday


class MenuVersion(models.Model):
    """Names the state of the menu; a trigger changes it with every menu write.

    Whoever caches the menu keeps this token beside it.  It is a row, so it
    becomes visible together with the change, whatever program made it.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    token = models.UUIDField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="menu_version_is_one_row")]

    def __str__(self) -> str:
        return str(self.token)


class Category(models.Model):
    """A part of the menu."""

    key = key_field(unique=True)
    name = models.CharField(_("name"), max_length=120)
    active = models.BooleanField(_("active"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.name


class OptionList(models.Model):
    """A closed list of choices, such as fillings, that products share."""

    key = key_field(unique=True)
    name = models.CharField(_("name"), max_length=120, help_text=_("What customers see."))
    active = models.BooleanField(_("active"), default=True)

    class Meta:
        verbose_name = _("option list")
        verbose_name_plural = _("option lists")
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class Option(models.Model):
    """One choice of a list; its price is added to each unit."""

    list = models.ForeignKey(OptionList, models.CASCADE, related_name="options", verbose_name=_("option list"))
    key = key_field()
    name = models.CharField(_("name"), max_length=120)
    aliases = words_field(_("also called"))
    price_delta = money_field(_("added price"), default=0)
    sold_out_on = models.DateField(_("sold out on"), null=True, blank=True, help_text=_("Only that day."))
    active = models.BooleanField(_("active"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("option")
        verbose_name_plural = _("options")
        ordering = ["list", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["list", "key"], name="option_key_unique"),
        ]

    def __str__(self) -> str:
        return self.name


class Product(models.Model):
    """Something sold, at its own price or at those of its variants (then ``price`` is null).

    ``allergens``: a list, empty = declared to have none, null = not declared.
    ``pack_size``: pieces in one unit. ``lead_minutes``: order to pick-up.
    ``daily_stock``: most units a branch sells for one day, null = no limit.
    """

    category = models.ForeignKey(Category, models.PROTECT, related_name="products", verbose_name=_("category"))
    key = key_field(unique=True)
    name = models.CharField(_("name"), max_length=120)
    description = models.TextField(_("description"), blank=True)
    price = optional_price_field(_("price"), help_text=_("Empty if it has variants."))
    tax_rate = percent_field(_("tax (%)"), default=0)
    aliases = words_field(_("also called"), help_text=_("Words customers use, by commas."))
    unit_label = models.CharField(_("sold by"), max_length=40, blank=True)
    pack_size = models.PositiveIntegerField(_("pieces in one"), null=True, blank=True)
    min_quantity = models.PositiveIntegerField(_("smallest quantity"), default=1, validators=[MinValueValidator(1)])
    max_quantity = models.PositiveIntegerField(_("largest quantity"), null=True, blank=True)
    quantity_step = models.PositiveIntegerField(_("in steps of"), default=1, validators=[MinValueValidator(1)])
    lead_minutes = models.PositiveIntegerField(_("ready after (minutes)"), default=0)
    deposit_percent = models.DecimalField(_("deposit (%)"), max_digits=5, decimal_places=2, null=True, blank=True)
    note_label = models.CharField(_("asks for a text"), max_length=80, blank=True)
    note_max = models.PositiveSmallIntegerField(_("longest text"), null=True, blank=True)
    allergens = ArrayField(
        models.CharField(max_length=40),
        verbose_name=_("allergens"),
        null=True,
        blank=True,
        help_text=_("Empty list: declared free of them. No list: not declared."),
    )
    daily_stock = models.PositiveIntegerField(_("most per day"), null=True, blank=True)
    sold_out = models.BooleanField(_("sold out"), default=False, help_text=_("Until somebody changes it back."))
    sold_out_on = models.DateField(_("sold out on"), null=True, blank=True, help_text=_("Only that day."))
    active = models.BooleanField(_("active"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("product")
        verbose_name_plural = _("products")
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                Lower("name"),
                condition=Q(active=True),
                name="product_name_unique",
                violation_error_message=_("Another active product has this name."),
            ),
            models.CheckConstraint(
                condition=Q(price__isnull=True) | Q(price__gte=0), name="product_price_not_negative"
            ),
            models.CheckConstraint(condition=Q(tax_rate__gte=0, tax_rate__lte=100), name="product_tax_rate"),
            models.CheckConstraint(
                condition=Q(min_quantity__gte=1, quantity_step__gte=1)
                & (Q(max_quantity__isnull=True) | Q(max_quantity__gte=F("min_quantity"))),
                name="product_quantities",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Variant(models.Model):
    """A size of a product with its own price."""

    product = models.ForeignKey(Product, models.CASCADE, related_name="variants", verbose_name=_("product"))
    key = key_field()
    name = models.CharField(_("name"), max_length=120)
    price = price_field(_("price"))
    aliases = words_field(_("also called"))
    pack_size = models.PositiveIntegerField(_("pieces in one"), null=True, blank=True)
    lead_minutes = models.PositiveIntegerField(
        _("ready after (minutes)"), null=True, blank=True, help_text=_("Empty: as its product.")
    )
    active = models.BooleanField(_("active"), default=True)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("variant")
        verbose_name_plural = _("variants")
        ordering = ["product", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["product", "key"], name="variant_key_unique"),
            models.CheckConstraint(condition=Q(price__gte=0), name="variant_price_not_negative"),
        ]

    def __str__(self) -> str:
        return self.name


class ProductOptions(models.Model):
    """That a product takes choices of a list: between ``min`` and ``max`` of them."""

    product = models.ForeignKey(Product, models.CASCADE, related_name="option_lists", verbose_name=_("product"))
    list = models.ForeignKey(OptionList, models.PROTECT, related_name="uses", verbose_name=_("option list"))
    min = models.PositiveSmallIntegerField(_("at least"), default=0, help_text=_("1 or more: must be chosen."))
    max = models.PositiveSmallIntegerField(_("at most"), default=1)
    position = models.PositiveIntegerField(_("position"), default=0)

    class Meta:
        verbose_name = _("options of a product")
        verbose_name_plural = _("options of products")
        ordering = ["product", "position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["product", "list"], name="product_options_unique"),
            models.CheckConstraint(condition=Q(max__gte=1) & Q(min__lte=F("max")), name="product_options_counts"),
        ]

    def __str__(self) -> str:
        return f"{self.product} · {self.list}"

    def clean(self) -> None:
        """A list must offer what the product demands."""
        if self.list_id and self.min > self.list.options.filter(active=True).count():
            raise ValidationError({"min": _("The list has fewer active options.")})


class Availability(models.Model):
    """When a product can be picked up; a product without rows always can.

    Any matching row will do. Empty fields do not restrict. Dates are both
    included; a time is the branch's, ``to_time`` included.
    """

    product = models.ForeignKey(Product, models.CASCADE, related_name="availabilities", verbose_name=_("product"))
    branch = models.ForeignKey(Branch, models.CASCADE, verbose_name=_("branch"), null=True, blank=True)
    weekdays = ArrayField(
        models.PositiveSmallIntegerField(choices=Weekday.choices),
        verbose_name=_("weekdays"),
        default=list,
        blank=True,
    )
    from_time = models.TimeField(_("from"), null=True, blank=True)
    to_time = models.TimeField(_("until"), null=True, blank=True)
    from_date = models.DateField(_("first day"), null=True, blank=True)
    to_date = models.DateField(_("last day"), null=True, blank=True)

    class Meta:
        verbose_name = _("availability")
        verbose_name_plural = _("availabilities")
        ordering = ["product", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(from_date__isnull=True) | Q(to_date__isnull=True) | Q(to_date__gte=F("from_date")),
                name="availability_dates",
            ),
            models.CheckConstraint(
                condition=Q(from_time__isnull=True) | Q(to_time__isnull=True) | Q(to_time__gt=F("from_time")),
                name="availability_times",
            ),
        ]

    def __str__(self) -> str:
        return str(self.product)
