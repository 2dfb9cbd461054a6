"""Rows of the engine. Modules by noun; import from here."""

from aitools.models.audit import AuditEvent
from aitools.models.confirmations import PendingConfirmation
from aitools.models.conversations import Conversation, Mode
from aitools.models.messages import InboundEvent, InboundState, OutboundMessage, OutboundState
from aitools.models.profiles import BehaviourVersion, BotProfile, ModelEndpoint, TextOverride
from aitools.models.turns import CallState, Step, ToolCall, Turn, TurnState

__all__ = [
    "AuditEvent",
    "BehaviourVersion",
    "BotProfile",
    "CallState",
    "Conversation",
    "InboundEvent",
    "InboundState",
    "Mode",
    "ModelEndpoint",
    "OutboundMessage",
    "OutboundState",
    "PendingConfirmation",
    "Step",
    "TextOverride",
    "ToolCall",
    "Turn",
    "TurnState",
]
