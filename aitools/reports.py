"""What our code tells the customer about a call that was done, without a model."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.utils import translation

from aitools import behaviour, faults, outbox, texts, wording
from aitools.contexts import context_of
from aitools.models import CallState, Conversation, OutboundMessage, ToolCall
from aitools.tools import registry

log = logging.getLogger(__name__)


def report_of(call: ToolCall, conversation: Conversation, now: datetime) -> str:
    """The done call in one sentence; "" for calls without an effect to report.

    A tool whose own report breaks is reported by its title: what happened is told.
    """
    tool = registry.get(call.name)
    if tool is None or tool.effects == "none" or not (tool.confirm or tool.report):
        return ""
    done = texts.done(tool.shown_title)
    if tool.report is None:
        return done
    try:
        with transaction.atomic():
            return tool.report(call.value, context_of(conversation, now, call=call))
    except Exception as error:  # noqa: BLE001 - logged with where, without its words
        log.error("the report of tool %s failed: %s", tool.name, faults.reason_of(error))  # noqa: TRY400
        return done


def reports_of(calls: Iterable[ToolCall], conversation: Conversation, now: datetime) -> list[str]:
    """What these calls have done, one sentence an effect, in order."""
    done = [call for call in calls if call.state == CallState.DONE]
    return [told for call in done if (told := report_of(call, conversation, now))]


def tell_effects(calls: Iterable[ToolCall], turn_id: int | None, conversation: Conversation, now: datetime) -> None:
    """A turn that is cut off never hides what it has done. Needs a transaction."""
    language = wording.language_for(conversation.language, behaviour.profile().language)
    with translation.override(language):
        for told in reports_of(calls, conversation, now):
            text = texts.still_happened(told)
            outbox.enqueue(conversation, text, kind=OutboundMessage.Kind.NOTICE, turn_id=turn_id)
