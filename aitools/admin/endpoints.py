"""Models: where they are, what they cost, and their keys, which are taken in and never shown again."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet, URLField
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import display
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldBooleanSwitchWidget

from aitools import behaviour, breakers, clock, keyring
from aitools.admin.conflicts import GuardedAdmin, GuardedForm, save_changed
from aitools.admin.endpoint_tests import EndpointTests
from aitools.models import BotProfile, ModelEndpoint

#: The names that may hold a vendor's key. Any other variable (the database's
#: address, our own secret) must not be sendable to an address typed in here.
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_API_KEY")
#: What vendors' keys are made of; a header could not carry anything else.
KEY = re.compile(r"[\x21-\x7e]{8,500}")
#: A stored key is for who was there when it was typed.
_PLACE = {"kind", "vendor", "base_url"}
#: Our own code, which is no model.
_OURS = (ModelEndpoint.Kind.OFFLINE, ModelEndpoint.Kind.SCRIPTED)
_KEPT = ("refuses_tools", "broken_at", "broken_reason", "sealed_key", "key_set_at")


class ModelEndpointForm(GuardedForm):
    """A key goes in and never comes out: not with the page, not with an error."""

    new_key = forms.CharField(
        label=gettext_lazy("New key"),
        required=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}, render_value=False),
        help_text=gettext_lazy("Stored encrypted and never shown again. Empty: what is stored stays."),
    )
    remove_key = forms.BooleanField(
        label=gettext_lazy("Remove the stored key"), required=False, widget=UnfoldBooleanSwitchWidget
    )

    def clean_key_variable(self) -> str:
        """The name, or an error that doesn't repeat what may have been a key."""
        name: str = self.cleaned_data["key_variable"].strip()
        if name and not KEY_VARIABLE.fullmatch(name):
            raise forms.ValidationError(
                _("Write the name of an environment variable that ends in _API_KEY, not the key itself.")
            )
        return name

    def clean_new_key(self) -> str:
        """The key, or an error that doesn't repeat it."""
        key: str = self.cleaned_data["new_key"]
        keyring.hide(key)
        if key and not KEY.fullmatch(key):
            raise forms.ValidationError(_("This is no key: it has blanks or letters that no key has, or is too short."))
        return key

    def clean_base_url(self) -> str:
        """An address and nothing else: it is shown to all staff, and paths are put behind it."""
        url: str = self.cleaned_data["base_url"]
        if "@" in urlsplit(url).netloc:
            raise forms.ValidationError(
                _("Leave the user and the password out of the address. A key has its own field.")
            )
        if "?" in url or "#" in url:
            raise forms.ValidationError(
                _("Leave out what begins with “?” or “#”: the desk puts paths behind the address.")
            )
        return url

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        kind = cleaned.get("kind")
        if kind and kind not in _OURS and "model" in cleaned and not cleaned["model"].strip():
            self.add_error("model", _("Write the model's name as its vendor writes it."))
        if kind and kind != ModelEndpoint.Kind.COMPATIBLE and cleaned.get("vendor"):
            self.add_error("vendor", _("Leave this empty, or choose the kind “Compatible with OpenAI”."))
        if fault := self._key_fault(cleaned):
            self.add_error("new_key", fault)
        prices = [cleaned.get(name) is None for name in ("input_price", "output_price")]
        if len(set(prices)) > 1 or (all(prices) and cleaned.get("cached_price") is not None):
            self.add_error("input_price", _("Costs are counted only with the prices of both input and output."))
        return cleaned

    def _key_fault(self, cleaned: dict[str, Any]) -> str:
        new, remove = cleaned.get("new_key"), cleaned.get("remove_key")
        if new and remove:
            return _("Either store a new key or remove the old one.")
        if new and not keyring.can_seal():
            return _(
                "No key can be stored: the environment variable SECRETS_KEY is not set. "
                "Set it on all machines, or name a variable with the key instead."
            )
        if self.instance.pk and self.instance.sealed_key and not new and not remove and _PLACE & set(self.changed_data):
            return _("The stored key was typed for another vendor or address. Type it again, or remove it.")
        return ""


@admin.register(ModelEndpoint)
class ModelEndpointAdmin(EndpointTests, GuardedAdmin):
    form = ModelEndpointForm
    list_display = ("name", "kind", "model", "base_url", "key_is_set", "condition", "active")
    list_filter = ("kind", "active")
    search_fields = ("name", "model")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("name", "active"),
                    "kind",
                    "vendor",
                    "model",
                    "transcription_model",
                    "base_url",
                    "timeout_seconds",
                    "max_output_tokens",
                    "tool_calls",
                    "condition_told",
                )
            },
        ),
        (gettext_lazy("Key"), {"fields": ("key_told", "new_key", "remove_key", "key_variable")}),
        (gettext_lazy("Prices"), {"fields": (("input_price", "cached_price", "output_price"),)}),
    )
    readonly_fields = ("key_told", "condition_told")

    def save_model(self, request: HttpRequest, obj: ModelEndpoint, form: Any, change: bool) -> None:
        """Whoever saves it wants it tried anew; another model or address may take tools that the former refused."""
        if {"kind", "vendor", "model", "base_url"} & set(form.changed_data):
            obj.refuses_tools = False
        obj.broken_at, obj.broken_reason = None, ""
        if not change:
            obj.save()  # a key is sealed for the row's number
        _take_key(obj, form.cleaned_data)
        save_changed(obj, {*form.changed_data, *_KEPT})
        transaction.on_commit(partial(breakers.reset, behaviour.from_row(obj)))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> Any:
        """Not while a profile names it: customers would be without a model that staff count on."""
        row = self.get_object(request, object_id)
        if not isinstance(row, ModelEndpoint) or not (used := _profiles_of(row)):
            return super().delete_view(request, object_id, extra_context)
        self.message_user(request, _still_used(used), messages.ERROR)
        return HttpResponseRedirect(reverse("admin:aitools_modelendpoint_change", args=[row.pk]))

    def get_deleted_objects(self, objs: Sequence[Any] | QuerySet[Any], request: HttpRequest) -> Any:
        """Also of several at once none that is a fall-back, which the database would let go."""
        deleted, counts, missing, protected = super().get_deleted_objects(objs, request)
        named = [_still_used(used) for row in objs if (used := _profiles_of(row))]
        # Who may not delete the profile either need not be told so: it is not to be deleted.
        return (deleted, counts, set(), named) if named else (deleted, counts, missing, protected)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, URLField):
            kwargs["assume_scheme"] = "https"
        if db_field.name == "kind":
            # The scripted one answers nobody outside of tests.
            kwargs["choices"] = [one for one in db_field.get_choices() if one[0] != ModelEndpoint.Kind.SCRIPTED]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @display(description=gettext_lazy("key"), label={"set": "success", "missing": "danger"})
    def key_is_set(self, row: ModelEndpoint) -> tuple[str, str] | str:
        """Whether there is one where this page runs; never what it is."""
        if row.pk and row.sealed_key:
            return _stored(row)
        if not KEY_VARIABLE.fullmatch(row.key_variable):
            return ""
        return ("set", _("Set")) if os.environ.get(row.key_variable) else ("missing", _("Missing"))

    @display(description=gettext_lazy("key"))
    def key_told(self, row: ModelEndpoint) -> str:
        """The same on the model's own page, which knows no coloured labels."""
        return _words(self.key_is_set(row))

    @display(description=gettext_lazy("condition"), label={"broken": "danger"})
    def condition(self, row: ModelEndpoint) -> tuple[str, str] | str:
        """Whether the vendor takes our requests, as far as is known."""
        if row.broken_at is None:
            return ""
        return "broken", _("Left alone since %(date)s: %(reason)s") % {
            "date": _moment(row.broken_at),
            "reason": row.broken_reason,
        }

    @display(description=gettext_lazy("condition"))
    def condition_told(self, row: ModelEndpoint) -> str:
        return _words(self.condition(row))


def _profiles_of(row: ModelEndpoint) -> list[BotProfile]:
    """The profiles that name it anywhere."""
    return list(BotProfile.objects.filter(Q(endpoint=row) | Q(fallbacks=row) | Q(voice_endpoint=row)).distinct())


def _still_used(profiles: list[BotProfile]) -> str:
    return _("The profile %(profile)s uses it; choose another there first.") % {
        "profile": ", ".join(f"“{profile}”" for profile in profiles)
    }


def _words(shown: tuple[str, str] | str) -> str:
    return shown if isinstance(shown, str) else shown[1]


def _take_key(row: ModelEndpoint, given: dict[str, Any]) -> None:
    if given.get("remove_key"):
        row.sealed_key, row.key_set_at = "", None
    elif given.get("new_key"):
        row.sealed_key, row.key_set_at = keyring.seal(given["new_key"], row.place), clock.now()


def _stored(row: ModelEndpoint) -> tuple[str, str]:
    if not keyring.opens(row.sealed_key, row.place):
        return "missing", _("Stored, but can't be opened: type it again, or put back the old SECRETS_KEY")
    return "set", _("Stored on %(date)s") % {"date": _moment(row.key_set_at) if row.key_set_at else "?"}


def _moment(at: Any) -> str:
    return date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")
