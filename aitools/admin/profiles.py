"""How the bot behaves and which models it uses."""

from __future__ import annotations

import os
import re
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import URLField
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import StackedInline
from unfold.decorators import display

from aitools.admin.conflicts import GuardedAdmin, GuardedFields, GuardedForm
from aitools.admin.profile_forms import ProfileForm, TextForm, TextFormSet
from aitools.models import BotProfile, ModelEndpoint, TextOverride

#: The names that may hold a vendor's key. Any other variable (the database's
#: address, our own secret) must not be sendable to an address typed in here.
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_API_KEY")


class ModelEndpointForm(GuardedForm):
    """Keeps keys themselves out of the database."""

    def clean_key_variable(self) -> str:
        """The name, or an error that doesn't repeat what may have been a key."""
        name: str = self.cleaned_data["key_variable"].strip()
        if name and not KEY_VARIABLE.fullmatch(name):
            raise forms.ValidationError(
                _("Write the name of an environment variable that ends in _API_KEY, not the key itself.")
            )
        return name


@admin.register(ModelEndpoint)
class ModelEndpointAdmin(GuardedAdmin):
    form = ModelEndpointForm
    list_display = ("name", "kind", "model", "base_url", "key_variable", "key_is_set", "active")
    list_filter = ("kind", "active")
    search_fields = ("name", "model")
    fields = (
        "name",
        "kind",
        "model",
        "transcription_model",
        "base_url",
        "key_variable",
        "key_is_set",
        "timeout_seconds",
        "max_output_tokens",
        "tool_calls",
        "active",
    )
    readonly_fields = ("key_is_set",)

    def save_model(self, request: HttpRequest, obj: ModelEndpoint, form: Any, change: bool) -> None:
        """Another model or address may take tools that the former refused."""
        if {"kind", "model", "base_url"} & set(form.changed_data):
            obj.refuses_tools = False
        super().save_model(request, obj, form, change)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, URLField):
            kwargs["assume_scheme"] = "https"
        if db_field.name == "kind":
            # The scripted one answers nobody outside of tests.
            kwargs["choices"] = [one for one in db_field.get_choices() if one[0] != ModelEndpoint.Kind.SCRIPTED]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @display(description=gettext_lazy("key"), label={"set": "success", "missing": "danger"})
    def key_is_set(self, row: ModelEndpoint) -> tuple[str, str] | str:
        """Whether the variable has a value where this page runs; never the value."""
        if not KEY_VARIABLE.fullmatch(row.key_variable):
            return ""
        return ("set", _("Set")) if os.environ.get(row.key_variable) else ("missing", _("Missing"))


class TextInline(GuardedFields, StackedInline):
    model = TextOverride
    form = TextForm
    formset = TextFormSet
    fields = (("name", "language"), "text")
    extra = 0
    tab = True


@admin.register(BotProfile)
class BotProfileAdmin(GuardedAdmin):
    form = ProfileForm
    inlines = (TextInline,)
    list_display = ("name", "active", "bot_on", "language", "endpoint", "confirm_seconds", "max_steps")
    list_select_related = ("endpoint",)
    autocomplete_fields = ("endpoint", "fallbacks", "voice_endpoint")
    fieldsets = (
        (None, {"fields": (("name", "active"), ("bot_on", "language"), "off_text", "persona")}),
        (
            gettext_lazy("Model"),
            {
                "fields": (
                    "endpoint",
                    "fallbacks",
                    "voice_endpoint",
                    ("max_steps", "sums_up"),
                    ("history_turns", "history_tokens"),
                    "guards_replies",
                )
            },
        ),
        (
            gettext_lazy("Questions and answers"),
            {
                "fields": (
                    ("confirm_seconds", "settle_seconds"),
                    ("human_minutes", "buttons_on"),
                    ("expired_notice", "answered_notice"),
                )
            },
        ),
        (
            gettext_lazy("Words for yes and no"),
            {
                "description": gettext_lazy("Only these words, with politeness around them, answer a question."),
                "fields": ("word_regions", ("yes_words", "no_words"), "words_replace"),
            },
        ),
        (gettext_lazy("What the model is told"), {"fields": ("note_on", "note")}),
        (gettext_lazy("Keeping"), {"fields": ("retention_days",)}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """The last profile stays: without one the bot would fall back to bare defaults."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and (obj is None or BotProfile.objects.exclude(pk=obj.pk).exists())
