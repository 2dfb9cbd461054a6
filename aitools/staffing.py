"""What staff do in a conversation: take over, answer, hand back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from aitools import behaviour, clock, outbox
from aitools.interruptions import interrupt, read_all
from aitools.models import Conversation, InboundState, Mode, OutboundMessage


def take_over(conversation_id: int, minutes: int | None = None) -> None:
    """A person answers from now on; what the bot had under way is stopped.

    ``minutes`` until the bot returns; None takes the profile's, 0 means never.
    """
    with transaction.atomic():
        conversation = _locked(conversation_id)
        _to_person(conversation, minutes)
        conversation.save()


def hand_back(conversation_id: int) -> None:
    """The bot answers what comes from now on; what was left to staff stays theirs."""
    with transaction.atomic():
        conversation = _locked(conversation_id)
        conversation.mode, conversation.mode_until = Mode.BOT, None
        conversation.needs_staff = False
        conversation.save()


def write_as_staff(conversation_id: int, text: str) -> OutboundMessage:
    """Queue a person's words; the bot is silent from then on, for the profile's time at least."""
    with transaction.atomic():
        conversation = _locked(conversation_id)
        if not conversation.is_with_person(clock.now()):
            _to_person(conversation, None)
        elif conversation.mode_until is not None:
            until = _until(behaviour.profile().human_minutes)
            conversation.mode_until = until and max(until, conversation.mode_until)
        conversation.needs_staff = False
        conversation.save()
        return outbox.enqueue(conversation, text, kind=OutboundMessage.Kind.STAFF)


def ask_for_staff(conversation_id: int) -> None:
    """A tool hands the chat to staff; its turn still gives its answer.

    Needs the tool's transaction; touches only columns that no worker fences.
    """
    until = _until(behaviour.profile().human_minutes)
    Conversation.objects.filter(pk=conversation_id).update(mode=Mode.HUMAN, mode_until=until, needs_staff=True)


def mark_seen(conversation_id: int) -> None:
    """Staff have dealt with it; who answers does not change."""
    Conversation.objects.filter(pk=conversation_id).update(needs_staff=False)


def set_language(conversation_id: int, language: str) -> None:
    """The language of our texts from now on, whatever the customer writes."""
    Conversation.objects.filter(pk=conversation_id).update(language=language, language_fixed=True)


def retry_send(outbound_id: int, *, anyway: bool = False) -> bool:
    """Try a failed message once more, with ``anyway`` one that may have arrived too; whether it is sent again."""
    return outbox.retry(outbound_id, anyway=anyway)


def _to_person(conversation: Conversation, minutes: int | None) -> None:
    minutes = behaviour.profile().human_minutes if minutes is None else minutes
    conversation.mode, conversation.mode_until = Mode.HUMAN, _until(minutes)
    interrupt(conversation, "a person took over")
    read_all(conversation, InboundState.STAFF)


def _until(minutes: int) -> datetime | None:
    """When the bot returns; None for never."""
    return clock.now() + timedelta(minutes=minutes) if minutes else None


def _locked(conversation_id: int) -> Conversation:
    return Conversation.objects.select_for_update(no_key=True).get(pk=conversation_id)
