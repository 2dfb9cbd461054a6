"""What our code tells the customer about a call that was done, without a model."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import translation

from aitools import outbox, texts
from aitools.contexts import context_of
from aitools.models import CallState, Conversation, OutboundMessage, ToolCall, Turn
from aitools.tools import registry

log = logging.getLogger(__name__)


def report_of(call: ToolCall, conversation: Conversation) -> str:
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
            return tool.report(call.value, context_of(conversation, tool=tool.name, call=call))
    except Exception:
        log.exception("the report of tool %s failed", tool.name)
        return done


def reports_of(turn: Turn, conversation: Conversation) -> list[str]:
    """What the turn has done so far, one sentence an effect, in order."""
    done = turn.calls.filter(state=CallState.DONE).order_by("id")
    return [told for call in done if (told := report_of(call, conversation))]


def tell_effects(turn: Turn, conversation: Conversation) -> None:
    """A turn that is cut off never hides what it has done. Needs a transaction."""
    with translation.override(conversation.language or "es"):
        for told in reports_of(turn, conversation):
            text = texts.still_happened(told)
            outbox.enqueue(conversation, text, kind=OutboundMessage.Kind.NOTICE, turn_id=turn.pk)
