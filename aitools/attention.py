"""Showing the customer that somebody is at work, on channels that can."""

from __future__ import annotations

import logging

from aitools import faults
from aitools.channels.base import Attentive, channel_for
from aitools.errors import ChannelError
from aitools.models import Conversation, InboundEvent

log = logging.getLogger(__name__)


def show(conversation: Conversation, newest: InboundEvent | None) -> None:
    """Mark the newest message that a turn read; needs no transaction, and no fault of it stops the turn.

    In this thread: a sign that overtook the reply would stay on the screen after it.
    """
    channel = channel_for(conversation.channel)
    if newest is None or not isinstance(channel, Attentive):
        return
    try:
        channel.attend(conversation.account, newest.provider_id)
    except ChannelError as error:
        log.info("conversation %s shows no sign of work: %s", conversation.pk, error)
    except Exception as error:  # noqa: BLE001 - logged with where, without its words
        log.error("conversation %s shows no sign of work: %s", conversation.pk, faults.reason_of(error))  # noqa: TRY400
