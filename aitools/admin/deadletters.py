"""A given-up turn for staff: why nobody answered, and the button that tries it again."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from aitools import clock, deadletters
from aitools.admin.posting import Refused
from aitools.deadletters import Refusal
from aitools.models import Turn


@dataclass(frozen=True, slots=True)
class Unanswered:
    """``refused`` is why it can't be tried again, "" when it can."""

    turn: Turn
    refused: str


def of(turn: Turn | None) -> Unanswered | None:
    """What a page shows of a given-up turn; None for any other."""
    if turn is None:
        return None
    refused = deadletters.refusal(turn, turn.conversation, clock.now())
    return None if refused is Refusal.NOT_FAILED else Unanswered(turn, said(refused) if refused else "")


def try_again(turn_id: int, conversation_id: int) -> str:
    """Try a turn of this conversation again; the line that says so. Raises Refused with the line that says why not."""
    if not Turn.objects.filter(pk=turn_id, conversation=conversation_id).exists():
        raise Refused(said(Refusal.NOT_FAILED))
    refused = deadletters.retry(turn_id)
    if refused is not None:
        raise Refused(said(refused))
    return _("The bot tries it again.")


def said(refusal: Refusal) -> str:
    return {
        Refusal.NOT_FAILED: _("That was answered; there is nothing to try again."),
        Refusal.MOVED_ON: _(
            "The conversation has moved on: it was tried again already, or a later message was answered."
        ),
        Refusal.UNREAD: _("The customer wrote again; the bot is answering that."),
        Refusal.PERSON: _("A person answers or has answered here; the bot does not speak into that."),
        Refusal.RESET: _("The customer began anew since; those words count no more."),
        Refusal.OPTED_OUT: _("This customer wants no messages from us."),
        Refusal.BOT_OFF: _("The bot is off."),
        Refusal.EMPTIED: _("Those words were deleted: they are older than messages are kept."),
        Refusal.UNKNOWN: _(
            "It is not known whether something was done elsewhere. Look there first, then answer yourself."
        ),
    }[refusal]
