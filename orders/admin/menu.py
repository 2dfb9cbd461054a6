"""The menu: prices and availability in the list, the rest on each product's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.forms import SimpleArrayField
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import StackedInline, TabularInline
from unfold.contrib.filters.admin import BooleanRadioFilter, RelatedDropdownFilter
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldBooleanSwitchWidget

from aitools import clock
from aitools.admin.conflicts import GuardedAdmin, GuardedFields, GuardedForm
from orders import allergens, selling
from orders.admin.keeping import KeepsHistory
from orders.admin.prices import PlainPrices, may_set_prices, tell_gifts
from orders.admin.searching import PlainSearch
from orders.models import Availability, Category, Option, OptionList, Product, ProductOptions, Variant
from orders.models.shop import Weekday


class KeyOnce:
    """The key is made from the name once: files, drafts and tools keep using it."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fields: tuple[str, ...] = tuple(super().get_readonly_fields(request, obj))  # type: ignore[misc]
        return (*fields, "key") if obj else fields

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Sequence[str]]:
        return {} if obj else {"key": ("name",)}


class WholeRowForm(GuardedForm):
    """A part of a row. Checks the constraints over columns that the form doesn't show, too."""

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        try:
            self.instance.validate_constraints()
        except forms.ValidationError as error:
            self._update_errors(error)  # type: ignore[attr-defined]


class AllergensField(SimpleArrayField):
    """Allergens in the words of whoever edits them, between commas; keys in the row."""

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            value = [allergens.title(one) for one in value]
        return super().prepare_value(value)

    def to_python(self, value: Any) -> Any:
        return [allergens.key(word) for word in super().to_python(value)]


class ProductForm(GuardedForm):
    """Tells "declared free of allergens" from "not declared", which an empty box can't."""

    allergens_declared = forms.BooleanField(
        label=gettext_lazy("Allergens declared"),
        required=False,
        show_hidden_initial=True,
        widget=UnfoldBooleanSwitchWidget,
        help_text=gettext_lazy("On with an empty list: declared free of allergens. Off: not declared."),
    )

    class Meta:
        model = Product
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("allergens_declared", self.instance.allergens is not None)

    @cached_property
    def changed_data(self) -> list[str]:
        names = super().changed_data
        return [*names, "allergens"] if "allergens_declared" in names and "allergens" not in names else names

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not cleaned.get("allergens_declared"):
            if cleaned.get("allergens"):
                self.add_error("allergens_declared", _("Allergens are listed: switch this on."))
            cleaned["allergens"] = None
        return cleaned


class NamedForm(WholeRowForm):
    """A row whose key is made from its name when it is new, and then stays."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if not self.instance.key:
            self.instance.key = slugify(cleaned.get("name", ""))[:80]
        return cleaned


class NamedFormSet(BaseInlineFormSet[Any, Any, Any]):
    """Refuses two new rows whose names would make the same key."""

    def clean(self) -> None:
        super().clean()
        seen: set[str] = set()
        for form in self.forms:
            if form.instance.key and form.instance.key in seen:
                form.add_error("name", _("This name is there already."))
            seen.add(form.instance.key)


class NamedInline(PlainPrices, GuardedFields, TabularInline):
    """Sizes or options. What may have been sold is switched off, not deleted."""

    form = NamedForm
    formset = NamedFormSet
    extra = 0
    can_delete = False


class VariantInline(NamedInline):
    model = Variant
    verbose_name_plural = gettext_lazy("Sizes")
    fields = ("name", "price", "pack_size", "aliases", "active", "position")
    tab = True


class ProductOptionsInline(GuardedFields, TabularInline):
    model = ProductOptions
    verbose_name_plural = gettext_lazy("Options")
    form = GuardedForm
    fields = ("list", "min", "max", "position")
    autocomplete_fields = ("list",)
    extra = 0
    tab = True


class AvailabilityForm(GuardedForm):
    weekdays = forms.TypedMultipleChoiceField(
        label=gettext_lazy("Weekdays"),
        choices=Weekday.choices,
        coerce=int,
        required=False,
        show_hidden_initial=True,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    class Meta:
        model = Availability
        fields = "__all__"


class AvailabilityInline(GuardedFields, StackedInline):
    model = Availability
    verbose_name_plural = gettext_lazy("When it is sold")
    form = AvailabilityForm
    fields = ("weekdays", ("from_time", "to_time"), ("from_date", "to_date"), "branch")
    autocomplete_fields = ("branch",)
    extra = 0
    tab = True


@admin.register(Product)
class ProductAdmin(PlainPrices, KeyOnce, KeepsHistory, PlainSearch, GuardedAdmin):
    form = ProductForm
    list_display = ("name", "category", "price", "sold_out", "active", "sells")
    list_editable = ("price", "sold_out", "active")
    list_filter = (
        ("category", RelatedDropdownFilter),
        ("active", BooleanRadioFilter),
        ("sold_out", BooleanRadioFilter),
    )
    list_filter_submit = True
    list_select_related = ("category",)
    list_per_page = 50
    search_fields = ("name", "key")
    search_lists = ("aliases",)
    autocomplete_fields = ("category",)
    inlines = (VariantInline, ProductOptionsInline, AvailabilityInline)
    history = ("order_lines",)
    actions = ("sold_out_today", "available_again")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("name", "key"),
                    ("category", "position"),
                    ("price", "tax_rate"),
                    ("active", "sold_out"),
                    ("sold_out_on", "daily_stock"),
                    "description",
                    "aliases",
                )
            },
        ),
        (
            gettext_lazy("How it is sold"),
            {
                "fields": (
                    ("unit_label", "pack_size"),
                    ("min_quantity", "max_quantity"),
                    ("quantity_step", "lead_minutes"),
                    ("note_label", "note_max"),
                ),
            },
        ),
        (gettext_lazy("Allergens"), {"fields": ("allergens_declared", "allergens")}),
    )

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "allergens":
            kwargs["form_class"] = AllergensField
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Product]:
        variants = Variant.objects.filter(product=OuterRef("pk"), active=True)
        today = timezone.localdate(clock.now())
        rows: QuerySet[Product] = super().get_queryset(request)
        return rows.annotate(
            has_variants=Exists(variants),
            is_out=ExpressionWrapper(Q(sold_out=True) | Q(sold_out_on=today), BooleanField()),
        )

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> type[forms.ModelForm[Any]]:
        return super().get_changelist_form(request, form=WholeRowForm, **kwargs)

    def get_changelist_formset(self, request: HttpRequest, **kwargs: Any) -> Any:
        """Columns without a field are shown as text and not read from what is sent."""
        formset: Any = super().get_changelist_formset(request, **kwargs)
        if not may_set_prices(request):
            formset.form.base_fields.pop("price")
        return formset

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fields = super().get_readonly_fields(request, obj)
        return fields if may_set_prices(request) else (*fields, "price", "tax_rate", "deposit_percent")

    def save_model(self, request: HttpRequest, obj: Product, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        tell_gifts(request, [form])

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        tell_gifts(request, formset.forms)

    @display(description=gettext_lazy("state"), label={"on": "success", "out": "warning", "none": "danger", "off": ""})
    def sells(self, row: Any) -> tuple[str, str]:
        if not row.active:
            return "off", _("Off the menu")
        if row.price is None and not row.has_variants:
            return "none", _("No price: not on the menu")
        if row.is_out:
            return "out", _("Sold out")
        return ("on", _("By size")) if row.has_variants else ("on", _("On the menu"))

    @admin.action(description=gettext_lazy("Sold out today"), permissions=["change"])
    def sold_out_today(self, request: HttpRequest, queryset: QuerySet[Product]) -> None:
        count = selling.sell_out_today(queryset.values_list("pk", flat=True), clock.now())
        text = ngettext("%(count)d product is sold out today.", "%(count)d products are sold out today.", count)
        messages.success(request, text % {"count": count})

    @admin.action(description=gettext_lazy("Available again"), permissions=["change"])
    def available_again(self, request: HttpRequest, queryset: QuerySet[Product]) -> None:
        count = selling.make_available(queryset.values_list("pk", flat=True))
        text = ngettext("%(count)d product is available again.", "%(count)d products are available again.", count)
        messages.success(request, text % {"count": count})


class OptionInline(NamedInline):
    model = Option
    fields = ("name", "price_delta", "aliases", "sold_out_on", "active", "position")


@admin.register(OptionList)
class OptionListAdmin(KeyOnce, KeepsHistory, PlainSearch, GuardedAdmin):
    list_display = ("name", "key", "active", "choices")
    search_fields = ("name", "key")
    fields = (("name", "key"), "active")
    inlines = (OptionInline,)
    history = ("options__order_lines",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[OptionList]:
        return super().get_queryset(request).prefetch_related("options")

    @display(description=gettext_lazy("options"))
    def choices(self, row: OptionList) -> str:
        return ", ".join(option.name for option in row.options.all() if option.active)


@admin.register(Category)
class CategoryAdmin(KeyOnce, PlainSearch, GuardedAdmin):
    list_display = ("name", "position", "active")
    list_editable = ("position", "active")
    search_fields = ("name", "key")
    fields = (("name", "key"), ("position", "active"))
