"""What staff type into a bot profile, checked so that a question can always be answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from babel import Locale
from django import forms
from django.conf import settings
from django.forms.models import BaseInlineFormSet
from django.utils import translation
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from aitools import behaviour, overrides
from aitools.admin.conflicts import GuardedForm
from aitools.answers import Answer, WordFault, Words, fault_of, read
from aitools.models import BotProfile, ModelEndpoint, TextOverride
from aitools.regions import ANYWHERE, REGIONS
from aitools.wording import Wording


def region_choices() -> list[tuple[str, str]]:
    """Countries by name in the reader's language, after the words of all."""
    names = Locale.parse(get_language() or "en", sep="-").territories
    countries = sorted(((code, names[code]) for code in REGIONS if code != ANYWHERE), key=lambda one: one[1])
    return [(ANYWHERE, _("Any country")), *countries]


def language_choices() -> list[tuple[str, str]]:
    return [(code, str(name)) for code, name in settings.LANGUAGES]


class ProfileForm(GuardedForm):
    word_regions = forms.MultipleChoiceField(
        label=gettext_lazy("Regional words for yes and no"),
        choices=region_choices,
        required=False,
        show_hidden_initial=True,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text=gettext_lazy("What people there say, added to the built-in list: “de una”, “simón”, “yup”."),
    )

    class Meta:
        model = BotProfile
        fields = "__all__"
        help_texts = {
            "fallbacks": gettext_lazy("Asked when the model above gives no answer, in the order of their names."),
            "words_replace": gettext_lazy(
                "The words above stand alone, without the built-in and regional ones. A list left empty keeps those."
            ),
        }

    def clean_voice_endpoint(self) -> ModelEndpoint | None:
        """A model that was told how to hear, or none."""
        chosen: ModelEndpoint | None = self.cleaned_data["voice_endpoint"]
        if chosen is not None and not behaviour.hears(chosen):
            raise forms.ValidationError(
                _("Choose a model of OpenAI, or one compatible with it, that names its model for voice notes.")
            )
        return chosen

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if {"word_regions", "yes_words", "no_words", "words_replace"} <= cleaned.keys():
            for name, fault in _word_faults(cleaned):
                self.add_error(name, fault)
        for name in ("daily_budget_soft", "daily_budget_hard"):
            if cleaned.get(name) is not None and (fault := _uncounted(cleaned)):
                self.add_error(name, fault)
        soft, hard = cleaned.get("daily_budget_soft"), cleaned.get("daily_budget_hard")
        if soft is not None and hard is not None and soft >= hard:
            self.add_error(
                "daily_budget_soft", _("Staff would be warned too late: this must be less than the other one.")
            )
        return cleaned


def _uncounted(cleaned: dict[str, Any]) -> str:
    """Why a budget would not see all that is spent; "" when it does."""
    chosen: ModelEndpoint | None = cleaned.get("endpoint")
    if chosen is None and settings.AI_PROVIDER != "offline":
        return _("Choose a model above: what the environment's costs is not known, so no budget would stop it.")
    rows = [*([chosen] if chosen else []), *(cleaned.get("fallbacks") or ())]
    unknown = [row.name for row in rows if row.kind != ModelEndpoint.Kind.OFFLINE and row.input_price is None]
    text = _("No budget would stop what costs nothing as far as is known. Enter prices, maybe 0, for: %(models)s.")
    return text % {"models": ", ".join(unknown)} if unknown else ""


def _word_faults(cleaned: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) for each own word that can't count."""
    yes, no, alone = cleaned["yes_words"], cleaned["no_words"], cleaned["words_replace"]
    in_force = Words.of(cleaned["word_regions"], yes, no, replace=alone)
    only_no = Words.of(cleaned["word_regions"], "", no, replace=alone).no
    only_yes = Words.of(cleaned["word_regions"], yes, "", replace=alone).yes
    for line in _lines(yes):
        means_no = read(line, replace(in_force, yes=frozenset(), no=only_no)) is Answer.NO
        if fault := _plain_fault(line) or (means_no and _("“%(word)s” is a word for no as well.")):
            yield "yes_words", fault % {"word": line}
    for line in _lines(no):
        means_yes = read(line, replace(in_force, yes=only_yes, no=frozenset())) is Answer.YES
        if fault := _plain_fault(line) or (means_yes and _("“%(word)s” is a word for yes as well.")):
            yield "no_words", fault % {"word": line}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _plain_fault(line: str) -> str:
    fault = fault_of(line)
    if fault is None:
        return ""
    return {
        WordFault.QUESTION: _("“%(word)s” is a question, and a question is never an answer."),
        WordFault.DIGIT: _("“%(word)s” has a digit: it would be taken for a quantity."),
        WordFault.UNREADABLE: _("“%(word)s” has something that is no letter. Write words only."),
        WordFault.COURTESY: _("“%(word)s” is politeness and says neither yes nor no."),
    }[fault]


class TextForm(GuardedForm):
    """One text in staff's own words."""

    name = forms.ChoiceField(
        label=gettext_lazy("Text"),
        choices=lambda: list(overrides.names()),
        show_hidden_initial=True,
        widget=UnfoldAdminSelectWidget,
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        choices=language_choices,
        show_hidden_initial=True,
        widget=UnfoldAdminSelectWidget,
    )

    class Meta:
        model = TextOverride
        fields = "__all__"
        help_texts = {
            "text": gettext_lazy(
                "In the question before an action, {title} and {lines} stand for what will be done; keep both. "
                "The warning has {title} and may have {result}; the notice of an answer may have {answer}. "
                "Button labels have at most 20 characters."
            ),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if {"name", "text"} <= cleaned.keys() and (fault := overrides.fault_in(cleaned["name"], cleaned["text"])):
            self.add_error("text", fault)
        return cleaned


class TextFormSet(BaseInlineFormSet[TextOverride, BotProfile, Any]):
    """All own texts of a profile: together they must leave two answers to choose from."""

    def clean(self) -> None:
        super().clean()
        kept = [form for form in self.forms if _is_kept(form)]
        texts: dict[str, dict[str, str]] = {}
        for form in kept:
            row = form.cleaned_data
            texts.setdefault(row["language"], {})[row["name"]] = row["text"].strip()
        for form in kept:
            name, language, text = (form.cleaned_data[field] for field in ("name", "language", "text"))
            if name in {"yes", "no"} and _same_labels(texts[language], language):
                form.add_error("text", _("Both buttons say the same in this language."))
            if name == "hint" and not self._answers(text):
                form.add_error("text", _("A customer who writes one of these would not be understood. Add the words."))
            if self._is_taken(form):
                form.add_error("name", _("This text already has words of its own in this language. Reload the page."))

    def _is_taken(self, form: Any) -> bool:
        """Whether a stored row is in the way when this one is written: another tab's, or one that moves away later.

        Rows that were there are written first, in their order: a new one may take the place of one that goes.
        """
        if self.instance._state.adding or not form.has_changed():
            return False
        leaving = [] if form.instance.pk else [one.instance.pk for one in self.initial_forms if one.has_changed()]
        row = form.cleaned_data
        same = TextOverride.objects.filter(profile=self.instance, language=row["language"], name=row["name"])
        return same.exclude(pk__in=[form.instance.pk or 0, *leaving]).exists()

    def _answers(self, hint: str) -> bool:
        """Whether both words of a hint like "(sí/no)" are read as what they say."""
        offered = hint.strip(" ()").split("/")
        if len(offered) != 2:
            return True
        words = behaviour.words(self.instance)
        return [read(word, words) for word in offered] == [Answer.YES, Answer.NO]


def _is_kept(form: Any) -> bool:
    row = getattr(form, "cleaned_data", {})
    return {"language", "name", "text"} <= row.keys() and not row.get("DELETE") and not form.errors


def _same_labels(texts: dict[str, str], language: str) -> bool:
    with translation.override(language):
        yes, no = Wording(texts).labels()
    return yes.casefold() == no.casefold()
