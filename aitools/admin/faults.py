"""A vendor's fault in plain words: what happened, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from aitools.behaviour import CLOSED_KEY
from aitools.providers import failures


@dataclass(frozen=True, slots=True)
class Explained:
    """``vendor`` is what the vendor itself said, ``detail`` what our own code did; both without keys."""

    what: str
    advice: str
    vendor: str = ""
    detail: str = ""


def explained(kind: str, said: str) -> Explained:
    """One of ``ProviderError``'s kinds; ``said`` is the error's text."""
    if said == CLOSED_KEY:
        return Explained(
            _("The stored key can't be opened."), _("Type the key again, or put back the old SECRETS_KEY.")
        )
    what, advice = _table().get(kind) or _table()["server"]
    return Explained(what, advice, vendor=said) if failures.is_vendors(said) else Explained(what, advice, detail=said)


def _table() -> dict[str, tuple[str, str]]:
    return _ours() | _theirs()


def _ours() -> dict[str, tuple[str, str]]:
    """What staff can put right."""
    return {
        "auth": (
            _("The vendor does not take the key."),
            _("Copy the key anew from the vendor's console, and see whether it may use this model."),
        ),
        "not_found": (
            _("The vendor does not know this model, or nothing is at this address."),
            _("Compare the model's name with the vendor's list, and the base URL with its documentation."),
        ),
        "quota": (
            _("The account has no credit left, or its limit is used up."),
            _("Add credit or raise the limit in the vendor's console."),
        ),
        "tools_unsupported": (
            _("This model does not take tools."),
            _("Choose “Automatic” or “By a JSON plan” for its tool calls, or another model."),
        ),
        "invalid_request": (
            _("The vendor does not take requests of this form."),
            _("Look at what it says below; often the model is of another kind, or the base URL is wrong."),
        ),
        "context_overflow": (
            _("The request is too long for this model."),
            _("Choose a model with a longer context, or let a local server give it more room."),
        ),
        "connection": (
            _("Nobody answers at this address."),
            _("Check the base URL, and whether that server runs and can be reached from this machine."),
        ),
    }


def _theirs() -> dict[str, tuple[str, str]]:
    """What mostly passes."""
    return {
        "timeout": (
            _("No answer came in time."),
            _("Try again; if it stays so, allow more seconds or choose a faster model."),
        ),
        "rate_limit": (
            _("The vendor takes no more requests just now."),
            _("Wait a minute and try again; for a busy shop raise the limit in the vendor's console."),
        ),
        "overloaded": (_("The vendor is overloaded."), _("Try again in a few minutes; have a fall-back model.")),
        "server": (
            _("Something is broken at the vendor's."),
            _("Try again; if it stays so, check the base URL and the vendor's status page."),
        ),
        "tool_generation": (
            _("The model wrote a tool call that its own server could not read."),
            _("Try again; if it happens often, choose another model or “By a JSON plan”."),
        ),
        "unreadable": (
            _("An answer came that could not be read."),
            _("Check the kind and the base URL: something else may be answering at this address."),
        ),
    }
