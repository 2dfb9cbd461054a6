"""Which of our texts staff may word themselves, and what such a wording must keep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

#: WhatsApp shows no more of a button.
LABEL_CHARACTERS = 20
PLACEHOLDER = re.compile(r"\{(\w+)\}")
#: Carriers take these for "write me no more" before we see them (Twilio's default list).
OPT_OUT = r"\b(?:STOP|STOPALL|UNSUBSCRIBE|END|QUIT|REVOKE|OPTOUT|CANCEL)\b"
#: In a longer text the word itself may be needed; in capitals it asks to be sent.
SUGGESTED_OPT_OUT = re.compile(OPT_OUT)
ANY_OPT_OUT = re.compile(OPT_OUT, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of ours. ``required`` placeholders must be in it, ``allowed`` ones may."""

    label: _StrOrPromise
    required: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    longest: int = 500
    one_line: bool = False

    @property
    def placeholders(self) -> tuple[str, ...]:
        return self.required + self.allowed


#: Name → what may be worded; the names are stored.
TEXTS: Mapping[str, Text] = {
    "confirm": Text(gettext_lazy("question before an action"), required=("title", "lines")),
    "hint": Text(gettext_lazy("hint where there are no buttons"), longest=40, one_line=True),
    "yes": Text(gettext_lazy("button for yes"), longest=LABEL_CHARACTERS, one_line=True),
    "no": Text(gettext_lazy("button for no"), longest=LABEL_CHARACTERS, one_line=True),
    "heads_up": Text(gettext_lazy("warning that it was done a moment ago"), required=("title",), allowed=("result",)),
    "changed": Text(gettext_lazy("line before a question asked again because something changed")),
    "asked_again": Text(gettext_lazy("line before a question asked again to be sure")),
    "answered": Text(gettext_lazy("notice that an answer was understood"), allowed=("answer",)),
    "declined": Text(gettext_lazy("reply to a no")),
    "expired": Text(gettext_lazy("notice that a question has expired")),
    "settled": Text(gettext_lazy("notice that a question is already settled")),
}


def fault_in(name: str, text: str) -> str | None:
    """What to change in staff's wording before it can be used, in the active language; None if nothing."""
    if name not in TEXTS:
        return _("There is no text of this name.")
    checks = (_bad_length, _bad_placeholders, _opt_out)
    return next((fault for check in checks if (fault := check(name, text.strip()))), None)


def fill(template: str, values: Mapping[str, str]) -> str:
    """The wording with its placeholders replaced, once: what is put in is not looked at again.

    ``lines`` bring their own line break, so one before them is left out.
    """
    template = template.replace("\n{lines}", "{lines}")
    return PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), template)


def _bad_length(name: str, text: str) -> str | None:
    allowed = TEXTS[name]
    if not text:
        return _("Write the text, or delete this row to use the built-in one.")
    if len(text) > allowed.longest:
        return _("Use at most %(most)s characters; these are %(count)s.") % {
            "most": allowed.longest,
            "count": len(text),
        }
    if allowed.one_line and not text.isprintable():
        return _("Write it in one line.")
    return None


def _bad_placeholders(name: str, text: str) -> str | None:
    allowed = TEXTS[name]
    found = PLACEHOLDER.findall(text)
    checks: tuple[tuple[list[str], Callable[[str], str]], ...] = (
        ([one for one in found if one not in allowed.placeholders], lambda names: _unknown(names, allowed)),
        (re.findall(r"[{}]", PLACEHOLDER.sub("", text)), lambda _signs: _malformed(allowed)),
        (
            [one for one in allowed.required if one not in found],
            lambda names: _("Add %(missing)s: it stands for what customers must see.") % {"missing": names},
        ),
        (
            sorted({one for one in found if found.count(one) > 1}),
            lambda names: _("Write %(names)s only once.") % {"names": names},
        ),
    )
    return next((explain(", ".join(map(_braced, wrong))) for wrong, explain in checks if wrong), None)


def _unknown(names: str, allowed: Text) -> str:
    if not allowed.placeholders:
        return _("Take out %(names)s: nothing is put in here.") % {"names": names}
    known = ", ".join(map(_braced, allowed.placeholders))
    return _("Take out %(names)s: only %(known)s can be put in here.") % {"names": names, "known": known}


def _malformed(allowed: Text) -> str:
    if not allowed.placeholders:
        return _("Take out the braces { and }: nothing is put in here.")
    known = ", ".join(map(_braced, allowed.placeholders))
    return _("Write braces { and } only in %(known)s, exactly like that.") % {"known": known}


def _opt_out(name: str, text: str) -> str | None:
    pattern = ANY_OPT_OUT if name in {"hint", "yes", "no"} else SUGGESTED_OPT_OUT
    if found := pattern.search(text):
        return _(
            "Take out “%(word)s”: phone companies take it for a wish to get no more messages, "
            "and the customer could not be written to again."
        ) % {"word": found[0]}
    return None


def _braced(name: str) -> str:
    return f"{{{name}}}"


def names() -> Iterator[tuple[str, _StrOrPromise]]:
    """The texts as choices of a form."""
    return ((name, text.label) for name, text in TEXTS.items())
