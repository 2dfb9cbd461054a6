"""Events that act by themselves, without a turn: leaving, coming back, beginning anew, staff's own words.

The caller holds the conversation's lock, and saves it.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import translation

from aitools import behaviour, clock, identities, outbox, texts, wording
from aitools.channels.base import EventKind, InboundMessage
from aitools.interruptions import forget_talk, interrupt, read_all
from aitools.models import Conversation, InboundEvent, InboundState, Mode, OutboundMessage

RESET = "/reset"


def is_reset(event: InboundMessage) -> bool:
    return event.kind == EventKind.MESSAGE and _says_reset(event.text)


def act(conversation: Conversation, row: InboundEvent) -> None:
    """What an event does by itself, without a turn."""
    if row.kind == EventKind.OPT_OUT:
        conversation.opted_out_at = row.received_at
        interrupt(conversation, "opted out", tell_effects=False)
        read_all(conversation, InboundState.APPLIED)
    elif row.kind == EventKind.OPT_IN:
        conversation.opted_out_at = None
    elif row.kind == EventKind.ECHO:
        _person_wrote(conversation, row)
    elif row.kind == EventKind.SYSTEM and row.extra.get("system"):
        identities.move(conversation, row)
    elif row.kind == EventKind.MESSAGE and row.seq is None and _says_reset(row.text):
        _reset(conversation)


def welcome_back(conversation: Conversation) -> None:
    """A word that no vendor answers brought them back."""
    with translation.override(_language(conversation)):
        outbox.enqueue(conversation, texts.welcome_back(), kind=OutboundMessage.Kind.NOTICE)


def _person_wrote(conversation: Conversation, row: InboundEvent) -> None:
    """Staff wrote from the shop's own phone: the bot falls silent here."""
    minutes = behaviour.profile().human_minutes
    conversation.mode = Mode.HUMAN
    conversation.mode_until = row.received_at + timedelta(minutes=minutes) if minutes else None
    interrupt(conversation, "a person wrote")
    read_all(conversation, InboundState.STAFF)


def _reset(conversation: Conversation) -> None:
    """Forget this talk: what is under way stops, what was done stays done and told."""
    interrupt(conversation, "reset")
    read_all(conversation, InboundState.APPLIED)
    forget_talk(conversation)
    if conversation.is_with_person(clock.now()) or not behaviour.profile().bot_on:
        return
    with translation.override(_language(conversation)):
        outbox.enqueue(conversation, texts.reset_done(), kind=OutboundMessage.Kind.NOTICE)


def _language(conversation: Conversation) -> str:
    return wording.language_for(conversation.language, behaviour.profile().language)


def _says_reset(text: str) -> bool:
    return text.strip().lower() == RESET
