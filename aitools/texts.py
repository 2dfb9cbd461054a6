"""What our own code says to customers. The caller activates the language."""

from __future__ import annotations

from collections.abc import Collection

from django.apps import apps
from django.utils.translation import gettext

from aitools.loop import Ending


def _(text: str) -> str:
    """In plain English where Django is not set up."""
    return gettext(text) if apps.ready else text


def confirm(title: str, listed: str) -> str:
    """The question before an effect; ``listed`` are its lines, each after a line break."""
    return _("I am about to: %(title)s%(lines)s\nDo you confirm?") % {"title": title, "lines": listed}


def hint() -> str:
    """Put after a question that has no buttons. Carriers take CANCEL, END, QUIT and STOP for an opt-out."""
    return _("(yes/no)")


def yes() -> str:
    return _("Yes")


def no() -> str:
    return _("No")


def heads_up(title: str, result: str = "") -> str:
    """Put before a question about what was already done; ``result`` in brief, if it says anything."""
    if not result:
        return _("Careful: I already did “%(title)s” a moment ago.") % {"title": title}
    return _("Careful: I already did “%(title)s” a moment ago (result: %(result)s).") % {
        "title": title,
        "result": result,
    }


def answered(choice: str) -> str:
    """Told before work that may take a while, where the profile wants it."""
    return _("Got it: %(answer)s.") % {"answer": choice}


def something_changed() -> str:
    return _("Something changed since I asked. Please look again:")


def to_be_sure() -> str:
    return _("I ask again, to be sure:")


def ending(kind: Ending) -> str:
    """What to say when a turn ends without the model's own words."""
    return {
        Ending.MAX_STEPS: _(
            "This is taking me too many steps. Could you tell me again, in one message, what you need?"
        ),
        Ending.EMPTY: _("Sorry, I could not answer that. Could you put it in other words?"),
        Ending.REFUSAL: _("Sorry, I can't help with that. I can take your order or answer about the shop."),
        Ending.TRUNCATED: _("Sorry, that was too long for me. Could you ask for less at a time?"),
        Ending.FILTERED: _("Sorry, I can't write about that here. What else can I do for you?"),
        Ending.OVERFLOW: _(
            "Sorry, that is more than I can read at once. Please tell me in one short message what you need."
        ),
        Ending.UNBACKED: _(
            "I don't want to tell you anything I am not sure of. Please ask me again, or ask for a person."
        ),
        Ending.END: "",
    }[kind]


def apology() -> str:
    return _("Sorry, something went wrong on our side. A person has been told and will look at your message.")


def unseen(kinds: Collection[str]) -> str:
    """What to do instead of sending these kinds of things; several at once are answered together."""
    pictured = _("I can't see pictures. Please tell me in words what you would like.")
    spoken = _("I can't listen to voice notes. Please write to me what you need.")
    known = {
        "image": pictured,
        "sticker": _("I can't see stickers. Please tell me in words what you would like."),
        "video": _("I can't watch videos. Please tell me in words what you would like."),
        "audio": spoken,
        "voice": spoken,
        "unheard": _("Sorry, I could not make out your voice note. Please write to me what you need."),
        "document": _("I can't open documents. Please write to me what you need."),
        "contacts": _("I can't open contact cards. Please write to me what you need."),
        "location": _("I can't look up locations. Please write to me what you need."),
        "order": _("I can't read carts of the catalogue. Please write to me which products you want, and how many."),
    }
    told = {known.get(kind, "") for kind in kinds}
    return (told.pop() if len(told) == 1 else "") or _("I can read only text. Please write it to me.")


def declined() -> str:
    return _("All right, I won't do it. Anything else?")


def done(title: str) -> str:
    return _("Done: %(title)s.") % {"title": title}


def already_done(report: str) -> str:
    return _("That is already confirmed. %(report)s") % {"report": report}


def still_happened(report: str) -> str:
    """Told when a turn was cut off after its effect: the effect is never hidden."""
    return _("Please note, this was already done: %(report)s") % {"report": report}


def expired() -> str:
    return _(
        "Time to answer my question ran out, so that was not done. "
        "If you still want it, answer “yes” and I will ask again."
    )


def question_settled() -> str:
    return _("That question is already settled.")


def tool_gone() -> str:
    return _("Sorry, I can't do that the way I asked any more. Nothing was done; please tell me again what you need.")


def bot_off() -> str:
    return _("We have your message. A person will answer you here.")


def too_many() -> str:
    return _("That is more messages than I can answer. A person has been told and will look at them.")


def welcome_back() -> str:
    return _("Good to have you back! What would you like?")


def reset_done() -> str:
    return _("All right, we start again. What would you like?")
