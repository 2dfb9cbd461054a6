"""How the bot behaves."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from unfold.admin import StackedInline

from aitools.admin.conflicts import GuardedAdmin, GuardedFields
from aitools.admin.playground import PlaygroundPages
from aitools.admin.profile_forms import ProfileForm, TextForm, TextFormSet
from aitools.models import BotProfile, TextOverride


class TextInline(GuardedFields, StackedInline):
    model = TextOverride
    form = TextForm
    formset = TextFormSet
    fields = (("name", "language"), "text")
    extra = 0
    tab = True


@admin.register(BotProfile)
class BotProfileAdmin(PlaygroundPages, GuardedAdmin):
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
                    ("daily_budget_soft", "daily_budget_hard"),
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
