"""What our code says around a confirmation: the built-in texts, or staff's own in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings

from aitools import texts
from aitools.loop import Previous
from aitools.overrides import fault_in, fill
from aitools.types import Button

if TYPE_CHECKING:
    from aitools.models import BotProfile

#: Of an earlier result, in the line that warns of a repetition.
RESULT_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Wording:
    """Texts of one language; ``overrides`` by name. The caller activates the language for the built-in ones."""

    overrides: Mapping[str, str] = field(default_factory=dict)

    def question(self, title: str, lines: Sequence[str], *, hint: bool, previous: Previous | None = None) -> str:
        """The question before an effect; ``hint`` where it has no buttons."""
        listed = "".join(f"\n• {line}" for line in lines)
        text = self._own("confirm", title=title, lines=listed) or texts.confirm(title, listed)
        asked = self.with_hint(text, hint=hint)
        return "\n".join([self.heads_up(title, previous.content), asked]) if previous else asked

    def with_hint(self, message: str, *, hint: bool) -> str:
        """A question with "(yes/no)" once where it has no buttons, else as it is."""
        words = self._own("hint") or texts.hint()
        if not hint or words.casefold() in message.casefold():
            return message
        return f"{message} {words}"

    def buttons(self) -> tuple[Button, Button]:
        """Yes and no, in that order; labels of at most 20 characters."""
        yes, no = self.labels()
        if yes.casefold() == no.casefold():
            yes, no = texts.yes(), texts.no()
        return Button("yes", yes), Button("no", no)

    def labels(self) -> tuple[str, str]:
        """What staff put on yes and no, else the built-in labels; they may be the same by mistake."""
        return self._own("yes") or texts.yes(), self._own("no") or texts.no()

    def heads_up(self, title: str, result: str = "") -> str:
        """Warns that the same was done; ``result`` as the earlier call gave it to the model, "" for unknown."""
        said = brief(result)
        own = self._own("heads_up", title=title, result=said)
        return own or texts.heads_up(title, said)

    def changed(self, question: str) -> str:
        """Put before a question that is asked again because something changed."""
        return "\n".join([self._own("changed") or texts.something_changed(), question])

    def asked_again(self, question: str) -> str:
        """Put before a question that is asked again, its yes being late or unclear."""
        return "\n".join([self._own("asked_again") or texts.to_be_sure(), question])

    def answered(self, choice: str) -> str:
        """A short line before the work starts; ``choice`` is the label of the button that says the same."""
        said = choice[:1].lower() + choice[1:]
        return self._own("answered", answer=said) or texts.answered(said)

    def declined(self) -> str:
        """Reply to a no when no model words one."""
        return self._own("declined") or texts.declined()

    def expired(self) -> str:
        return self._own("expired") or texts.expired()

    def settled(self) -> str:
        """Reply to a press of a question that is over."""
        return self._own("settled") or texts.question_settled()

    def _own(self, name: str, **values: str) -> str:
        return fill(self.overrides.get(name, ""), values)


def wording_of(profile: BotProfile, language: str) -> Wording:
    """The texts for a conversation in ``language``: staff's own in it, else in the one it falls back to.

    One query, none if the profile came with its texts.  A stored wording that
    would lose what customers must see is passed over.
    """
    rows = {(row.language, row.name): row.text.strip() for row in profile.texts.all()} if profile.pk else {}
    codes = [*_with_base(language), language_for(language, profile.language)]
    # The first code wins: it is written last.
    found = {name: text for code in reversed(codes) for (own, name), text in rows.items() if own == code}
    return Wording({name: text for name, text in found.items() if fault_in(name, text) is None})


def language_for(conversation_language: str, profile_language: str) -> str:
    """The first of both that there are built-in texts for ("es-mx" counts as "es"), else English.

    Languages with texts are those of ``settings.LANGUAGES``.
    """
    known = {code for code, _name in settings.LANGUAGES}
    wanted = [*_with_base(conversation_language), *_with_base(profile_language)]
    return next((code for code in wanted if code in known), "en")


def _with_base(language: str) -> list[str]:
    """ "es_MX" → "es-mx", "es"."""
    code = language.strip().lower().replace("_", "-")
    return [code, code.partition("-")[0]] if code else []


def brief(result: str) -> str:
    """A tool's result for people, at most 200 characters; "" when it has nothing to say to them.

    Its own words for customers ("say") if it has any, else its plain values:
    nested lists and objects, flags and keys are left out.
    """
    try:
        value = json.loads(result)
    except ValueError:
        # What was cut in the middle of JSON is nothing for people.
        value = None if result.lstrip().startswith(("{", "[")) else result
    if isinstance(value, dict):
        said = value.get("say")
        value = said.strip().split("\n")[0] if isinstance(said, str) and said.strip() else _plain_values(value)
    if not _is_plain(value):
        return ""
    text = re.sub(r"\s+", " ", str(value)).strip().rstrip(".")
    return "" if text.casefold() == "ok" else _cut(text)


def _plain_values(result: Mapping[str, object]) -> str:
    return ", ".join(str(value) for value in result.values() if _is_plain(value) and str(value).strip())


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _cut(text: str) -> str:
    if len(text) <= RESULT_CHARACTERS:
        return text
    return text[: RESULT_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(" ,") + "…"
