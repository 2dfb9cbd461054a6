"""What no honest reply has: more than was asked for, and the key that was sent with the question.

A server that is broken, or not what staff took it for, may answer with anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from aitools.providers.payloads import RAW_LIMIT
from aitools.types import Json, ModelReply, ModelRequest, Stop, ToolRequest

#: A token is about four characters, in Spanish fewer; twice that leaves room for every honest reply.
CHARACTERS_A_TOKEN = 8
#: A limit of a few tokens is a model's to keep, to the letter; nobody is harmed by a message's length.
LEAST_CHARACTERS = 2_000
#: Whatever staff allow: more than five of WhatsApp's longest messages is no answer to a customer.
MOST_CHARACTERS = 20_000
#: As text of JSON. The longest order that the shop takes is a small part of this.
MOST_ARGUMENTS = 64_000
#: Shorter keys are made up for servers that ask for none ("ollama", "not-needed"), and words as well.
SHORTEST_KEY = 12
HIDDEN = "[key]"

_FINISHED = (Stop.REFUSAL, Stop.CONTENT_FILTER)


def honest(reply: ModelReply, request: ModelRequest, key: str) -> ModelReply:
    """The reply without ``key``, its text and arguments within bounds. What is too long is a cut reply.

    The vendor's own turn is dropped with what was cut: it would go back as long as it came.
    """
    return _bounded(_without_key(reply, key) if len(key) >= SHORTEST_KEY else reply, request)


def _bounded(reply: ModelReply, request: ModelRequest) -> ModelReply:
    calls = tuple(_with_small_arguments(call) for call in reply.tool_calls)
    most = min(max(request.max_output_tokens * CHARACTERS_A_TOKEN, LEAST_CHARACTERS), MOST_CHARACTERS)
    if len(reply.text) > most:
        stop = reply.stop if reply.stop in _FINISHED else Stop.LENGTH
        return replace(reply, text=reply.text[:most], tool_calls=calls, stop=stop, raw=None)
    return reply if calls == reply.tool_calls else replace(reply, tool_calls=calls, raw=None)


def _with_small_arguments(call: ToolRequest) -> ToolRequest:
    text = "" if call.arguments is None else json.dumps(call.arguments, ensure_ascii=False)
    return call if len(text) <= MOST_ARGUMENTS else replace(call, arguments=None, raw=text[:RAW_LIMIT])


def _without_key(reply: ModelReply, key: str) -> ModelReply:
    calls = tuple(
        replace(
            call,
            name=call.name.replace(key, HIDDEN),
            arguments=_blotted(call.arguments, key),
            vendor_id=call.vendor_id.replace(key, HIDDEN),
            raw=call.raw.replace(key, HIDDEN),
        )
        for call in reply.tool_calls
    )
    words = {name: getattr(reply, name).replace(key, HIDDEN) for name in ("text", "raw_stop", "model", "request_id")}
    return replace(reply, tool_calls=calls, raw=_blotted(reply.raw, key), **words)


def _blotted(value: Json, key: str) -> Json:
    if isinstance(value, str):
        return value.replace(key, HIDDEN)
    if isinstance(value, Mapping):
        return {_blotted(name, key): _blotted(item, key) for name, item in value.items()}
    return [_blotted(item, key) for item in value] if isinstance(value, list) else value
