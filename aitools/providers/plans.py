"""What the text of a model without tools asks for: calls, an answer, or nothing that can be read.

Models don't keep to one form, so the forms of other systems are taken as well.
None is completed: what is not written is not asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from aitools.providers import loose_json
from aitools.providers.payloads import RAW_LIMIT, arguments_from
from aitools.types import Json, ToolRequest

_CALL, _REPLY = "call", "reply"
_VERBS = {
    **dict.fromkeys(("call", "calls", "tool", "tools", "tool_call", "tool_calls", "use_tool", "function"), _CALL),
    **dict.fromkeys(("reply", "answer", "respond", "response", "message", "final", "final_answer"), _REPLY),
}
_LISTS = ("calls", "tool_calls", "tools")
_NAMES = ("tool", "name", "function", "tool_name", "action")
_ARGUMENTS = ("args", "arguments", "parameters", "params", "input", "action_input", "tool_input")
_TEXTS = ("reply", "text", "message", "content", "answer", "response", "action_input")
#: What may stand beside a tool's name and is no argument that went astray.
_BESIDE = frozenset({"action", "id", "type", "thought", "thoughts", "reason", "reasoning", "reply"})

_THOUGHT_MARK = re.compile(r"<(?P<ends>/?)think(?:ing)?>", re.IGNORECASE)
#: Marks of calls and of code in other models' own notations: never meant for a customer.
_MARKUP = re.compile(r"```|<\|?/?\s*(?:tool|function)|\[/?TOOL_|tool_code|\"action\"", re.IGNORECASE)

#: A plan as YAML has it ("action: call"), and the start of a list that is no talk.
_LINE = re.compile(
    r"^[ \t\"'*-]*(?:action|tool|tool_name|tool_call|function)[ \t\"'*]*[:=][ \t\"'*]*\w+[ \t\"'*,;]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LIST = re.compile(r"\[\s*(?:[\[{\"'\]]|\Z)")

Plan = str | tuple[ToolRequest, ...]


def plan_of(text: str, names: frozenset[str] = frozenset()) -> Plan | None:
    """The calls that a model's text asks for, or its answer; None if it can't be read.

    The first whole object that is a plan counts: what a model writes after it
    is often made up (the results, and the answer to them).  Text without any
    JSON is an answer as it stands.  ``names`` are the known tools.  Raises
    ``CutError`` when the text ends inside the object.
    """
    said = without_thoughts(text)
    any_json = False
    for value in loose_json.values(said):
        any_json = True
        plan = _plan(value, names)
        if plan is not None:
            return plan
    return None if any_json or _is_no_talk(said) else said


def without_thoughts(text: str) -> str:
    """The text alone. Some templates keep the opening mark to themselves; raises ``CutError`` without an end."""
    kept: list[str] = []
    at, thinks = 0, False
    # One pass: a pattern from mark to mark would search the whole rest at each of a flood of marks.
    for mark in _THOUGHT_MARK.finditer(text):
        if mark["ends"]:
            kept = kept if thinks else []
            at, thinks = mark.end(), False
        elif not thinks:
            kept.append(text[at : mark.start()])
            thinks = True
    if thinks:
        raise loose_json.CutError
    return "".join((*kept, text[at:])).strip()


def _is_no_talk(text: str) -> bool:
    """JSON of another kind, or notation that no customer should see."""
    if text.startswith("{") or _LIST.match(text) or _LINE.search(text) or _MARKUP.search(text):
        return True
    try:
        return not isinstance(json.loads(text), str | int | float)
    except (ValueError, RecursionError):
        return False


def _plan(value: Json, names: frozenset[str]) -> Plan | None:
    if isinstance(value, list):
        return _requests({"calls": value})
    verb = _verb(value, names) if isinstance(value, Mapping) else ""
    if verb == _CALL:
        return _requests(value)
    return _answer(value) if verb == _REPLY else None


def _verb(value: Mapping[str, Json], names: frozenset[str]) -> str:
    """What the object does. Without an action it must leave no doubt."""
    action = value.get("action")
    if action is not None:
        known = _VERBS.get(str(action).strip().lower().replace(" ", "_"), "")
        return _CALL if not known and _is_tool(action, names) else known
    if any(key in value for key in _LISTS) or _is_call(value, names):
        return _CALL
    return _REPLY if isinstance(value.get("reply"), str) else ""


def _is_call(value: Mapping[str, Json], names: frozenset[str]) -> bool:
    named = [value[key] for key in _NAMES if key in value]
    with_arguments = any(key in value for key in _ARGUMENTS)
    return any(isinstance(name, Mapping) or _is_tool(name, names) or with_arguments for name in named)


def _is_tool(name: Json, names: frozenset[str]) -> bool:
    return isinstance(name, str) and name in names


def _answer(value: Mapping[str, Json]) -> str | None:
    found = next((value[key] for key in _TEXTS if key in value), None)
    if not isinstance(found, str):
        return None
    return None if any(True for _ in loose_json.values(found)) or _is_no_talk(found) else found


def _requests(value: Mapping[str, Json]) -> tuple[ToolRequest, ...] | None:
    listed = next((value[key] for key in _LISTS if key in value), value)
    items = listed if isinstance(listed, list) else [listed]
    return tuple(_request(item) for item in items) or None


def _request(item: Json) -> ToolRequest:
    """One call; what can't be read of it is refused by the loop, without harm to its neighbours."""
    if isinstance(item, str):
        return ToolRequest(item, {})
    if not isinstance(item, Mapping):
        return ToolRequest("", None, raw=json.dumps(item, ensure_ascii=False)[:RAW_LIMIT])
    used, name = next(((key, item[key]) for key in _NAMES if item.get(key)), ("", ""))
    if isinstance(name, Mapping):
        return _request(name)
    arguments = _arguments(item, used)
    raw = json.dumps(item, ensure_ascii=False)[:RAW_LIMIT] if arguments is None else ""
    return ToolRequest(str(name), arguments, raw=raw)


def _arguments(item: Mapping[str, Json], name_key: str) -> dict[str, Json] | None:
    """The arguments; None when it is not sure what they are."""
    key = next((key for key in _ARGUMENTS if key in item), "")
    if not key:
        return None if item.keys() - _BESIDE - {name_key} else {}
    given = item[key]
    if isinstance(given, str):
        return arguments_from(given or "{}")
    return dict(given or {}) if given is None or isinstance(given, Mapping) else None
