"""Contacts that write more than anybody does: echoes of other bots, loops, pranks.

Every turn costs money, so each contact has caps, counted over all workers.  The
flood is answered once and shown to staff; the bot is silent there until it is calm.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings

from aitools import caps, leases, outbox, texts
from aitools.caps import Cap
from aitools.interruptions import interrupt, read_all
from aitools.models import InboundState, Mode, OutboundMessage
from aitools.work import Work

log = logging.getLogger(__name__)

#: The bot is silent at least so long.
CALM_SECONDS = 300


def stops(work: Work) -> bool:
    """Count the burst; whether it was one too many and was left to staff.

    A press is not counted: it answers a question, and can't be an echo.
    """
    conversation = work.conversation
    settles = conversation.wake_at is not None and conversation.wake_at > work.now
    silent = conversation.is_with_person(work.now) or conversation.opted_out_at or not work.profile.bot_on
    if not work.burst.written or settles or silent:
        return False
    asked = _caps_of(conversation.pk)
    wait = caps.wait_for(*asked) if asked else 0.0
    if wait:
        _leave_to_staff(work, max(wait, CALM_SECONDS))
    return bool(wait)


def _caps_of(conversation_id: int) -> list[Cap]:
    """None where the setting is 0."""
    wanted = ((settings.CONTACT_TURNS_PER_MINUTE, 60), (settings.CONTACT_TURNS_PER_HOUR, 3600))
    return [Cap(("turns", str(conversation_id)), most, seconds) for most, seconds in wanted if most]


def _leave_to_staff(work: Work, seconds: float) -> None:
    """As if a person had taken over for a while; whoever hands back ends it sooner."""
    with leases.fenced(work.lease) as conversation:
        interrupt(conversation, "too many messages")
        read_all(conversation, InboundState.STAFF)
        conversation.mode, conversation.mode_until = Mode.HUMAN, work.now + timedelta(seconds=seconds)
        conversation.needs_staff = True
        conversation.save()
        outbox.enqueue(conversation, texts.too_many(), kind=OutboundMessage.Kind.NOTICE)
    work.is_over = True
    log.warning("conversation %s writes too much: the bot is silent there for %d s", conversation.pk, seconds)
