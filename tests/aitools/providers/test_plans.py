"""What is read from the text of a model without tools, and what never is."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aitools.providers.loose_json import MAX_DEPTH, CutError, values
from aitools.providers.plans import Plan, plan_of
from aitools.types import ToolRequest

TOOLS = frozenset({"look", "make"})
ARGUMENTS = {"name": "pan", "count": 2}
MAKE = (ToolRequest("make", ARGUMENTS),)
LOOK = (ToolRequest("look", {}),)
PLAN = '{"action": "call", "calls": [{"tool": "make", "args": {"name": "pan", "count": 2}}]}'
HELLO = '{"action": "reply", "reply": "¡Hola!"}'


def _read(text: str) -> Plan | None:
    return plan_of(text, TOOLS)


CALLS = {
    "as asked for": PLAN,
    "in a fence": f"```json\n{PLAN}\n```",
    "in a fence without a name": f"```\n{PLAN}```",
    "in a fence that never ends": f"```json\n{PLAN}",
    "words before": f"Claro, lo hago ahora.\n\n{PLAN}",
    "words after": f"{PLAN}\n\nEn un momento te confirmo.",
    "words with braces before": f"Uso {{make}} para {{nombre}}: {PLAN}",
    "a thought before": f"<think>They want {{bread}}. {HELLO}</think>\n{PLAN}",
    "a thought whose start the template kept": f'So I call it {{"a": 1}}.\n</think>\n{PLAN}',
    "a thought after": f"{PLAN}<thinking>Did I do it?</thinking>",
    "invented results after it": f'{PLAN}\n{{"tool": "make", "result": "done"}}\n{HELLO}',
    "another object before": f'Tengo {{"pan": 3, "café": 1}}.\n{PLAN}',
    "an unreadable object before": f'{{"pan": }}\n{PLAN}',
    "doubled braces": "{" + PLAN + "}",
    "a brace too many": PLAN + "}",
    "in the marks of another system": f"<tool_call>\n{PLAN}\n</tool_call>",
    "trailing commas": PLAN.replace("}]", ",},]"),
    "a comma and a line before the end": PLAN[:-1] + ",\n}",
    "no spaces": PLAN.replace(" ", ""),
    "many lines": json.dumps(json.loads(PLAN), indent=2),
    "single quotes": PLAN.replace('"', "'"),
    "curly quotes": PLAN.replace('"call"', "“call”").replace('"tool"', "“tool”").replace('"pan"', "”pan”"),
    "low quotes": PLAN.replace('"pan"', "„pan“"),
    "curly single quotes": PLAN.replace('"pan"', "‘pan’"),
    "names without quotes": PLAN.replace('"action"', "action").replace('"args"', "args"),
    "comments": PLAN.replace("[", "[ // the order\n").replace("]", "/* two */ ]"),
    "an action in capitals": PLAN.replace('"call"', '" CALL "'),
    "an action of another name": PLAN.replace('"call"', '"tool_calls"'),
    "no action": PLAN.replace('"action": "call", ', ""),
    "one call outside a list": '{"action": "call", "tool": "make", "args": {"name": "pan", "count": 2}}',
    "calls is one object": PLAN.replace("[", "").replace("]", ""),
    "a bare list": '[{"tool": "make", "args": {"name": "pan", "count": 2}}]',
    "a bare call": '{"tool": "make", "args": {"name": "pan", "count": 2}}',
    "name and arguments": '{"name": "make", "arguments": {"name": "pan", "count": 2}}',
    "name and parameters": '{"name": "make", "parameters": {"name": "pan", "count": 2}}',
    "tool and input": '{"tool": "make", "input": {"name": "pan", "count": 2}}',
    "the tool as action": '{"action": "make", "action_input": {"name": "pan", "count": 2}}',
    "arguments as text": '{"name": "make", "arguments": "{\\"name\\": \\"pan\\", \\"count\\": 2}"}',
    "a vendor's form": '{"tool_calls": [{"id": "1", "type": "function", "function": '
    '{"name": "make", "arguments": "{\\"name\\": \\"pan\\", \\"count\\": 2}"}}]}',
    "a thought inside": '{"thought": "Two.", "action": "call", "tool": "make", "args": {"name": "pan", "count": 2}}',
    "an answer beside it": PLAN[:-1] + ', "reply": "Un momento."}',
}


@pytest.mark.parametrize("text", CALLS.values(), ids=CALLS.keys())
def test_a_call_is_found(text: str) -> None:
    assert _read(text) == MAKE


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "call", "calls": [{"tool": "look", "args": {}}]}',
        '{"action": "call", "calls": [{"tool": "look", "args": null}]}',
        '{"action": "call", "calls": [{"tool": "look", "arguments": ""}]}',
        '{"action": "call", "calls": [{"tool": "look"}]}',
        '{"action": "call", "calls": ["look"]}',
        '{"action": "look"}',
        '{"tool": "look"}',
    ],
)
def test_a_call_may_have_no_arguments(text: str) -> None:
    assert _read(text) == LOOK


ANSWERS = {
    "as asked for": (HELLO, "¡Hola!"),
    "without action": ('{"reply": "¡Hola!"}', "¡Hola!"),
    "other names": ('{"action": "answer", "text": "¡Hola!"}', "¡Hola!"),
    "a final answer": ('{"action": "Final Answer", "action_input": "¡Hola!"}', "¡Hola!"),
    "braces in it": ('{"action": "reply", "reply": "Así: } y { y ]"}', "Así: } y { y ]"),
    "quotes in it": ('{"action": "reply", "reply": "Di \\"hola\\" ya"}', 'Di "hola" ya'),
    "curly quotes in it": ('{"action": "reply", "reply": "Di “hola” ya"}', "Di “hola” ya"),
    "an apostrophe in it": ("{'action': 'reply', 'reply': 'It\\'s open'}", "It's open"),
    "double quotes in single ones": ("{'action': 'reply', 'reply': 'El \"pan\"'}", 'El "pan"'),
    "a real line break": ('{"action": "reply", "reply": "Uno\nDos"}', "Uno\nDos"),
    "an escaped line break": ('{"action": "reply", "reply": "Uno\\nDos"}', "Uno\nDos"),
    "an escape that JSON has not": ('{"action": "reply", "reply": "Son \\$7 \\_ya\\_"}', "Son $7 _ya_"),
    "an escaped letter": ('{"action": "reply", "reply": "Ma\\u00f1ana"}', "Mañana"),
    "what no row can hold": ('{"action": "reply", "reply": "a\\u0000b\\ud83e"}', "ab\ufffd"),
    "an address in it": ('{"action": "reply", "reply": "https://pan.test/a // b"}', "https://pan.test/a // b"),
    "Python's words beside it": ("{'action': 'reply', 'reply': 'Sí', 'ok': True, 'no': False, 'x': None}", "Sí"),
    "nothing": ('{"action": "reply", "reply": ""}', ""),
    "plain talk": ("¡Hola! ¿Qué te gustaría pedir?", "¡Hola! ¿Qué te gustaría pedir?"),
    "plain talk with braces": ("Di {nombre} y listo :{ bueno", "Di {nombre} y listo :{ bueno"),
    "plain talk with a list": ("[1] Pan\n[2] Café", "[1] Pan\n[2] Café"),
    "plain talk after a thought": ("<think>Hm.</think>\n¡Hola!", "¡Hola!"),
    "plain talk with a colon": ("Action: call us\nHorario: 7 a 19", "Action: call us\nHorario: 7 a 19"),
    "plain talk between thoughts": ("Uno<think>a</think> y <thinking>b</thinking>dos", "Uno y dos"),
    "a number": ("7000", "7000"),
    "no text": ("", ""),
}


@pytest.mark.parametrize(("text", "said"), ANSWERS.values(), ids=ANSWERS.keys())
def test_an_answer_is_found(text: str, said: str) -> None:
    assert _read(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[{}]",
        "null",
        "[1, 2]",
        '{"things": ["pan", "café"]}',
        'Hay {"things": ["pan"]}',
        '{"name": "Ana", "phone": "300"}',
        '{"action": "dance"}',
        '{"action": "dance", "reply": "Hola"}',
        '{"action": 3}',
        '{"action": {"a": 1}}',
        '{"action": ["call"]}',
        '{"tool": ["look"]}',
        '{"action": "reply"}',
        '{"action": "reply", "reply": null}',
        '{"action": "reply", "reply": {"text": "Hola"}}',
        json.dumps({"action": "reply", "reply": PLAN}),
        '{"action": "call", "calls": []}',
        '{"action": "reply", "reply": "Di "hola" ya"}',
        '{"action": "reply" "reply": "Hola"}',
        '{"action": "reply", "reply": "Hola"]',
        '{"count": NaN, "action": "reply", "reply": "Hola"}',
        '{"count": 1e999, "action": "reply", "reply": "Hola"}',
        '{"reply": "Uno", "reply": "Dos"}',
        "{hola}",
        "```python\nview_menu()\n```",
        "<function=look></function>",
        "<|tool_call|>look",
        "[TOOL_CALLS] look",
        "action: call\ntool: book_slot",
        "**Action:** look\n",
        "[[[[…",
        "[" * 20_000,
        '{"action": "reply", "reply": "[[[["}',
    ],
)
def test_rubbish_is_neither_a_call_nor_shown(text: str) -> None:
    assert _read(text) is None


@pytest.mark.parametrize(
    "item",
    [
        '{"tool": "make", "name": "pan", "count": 2}',
        '{"tool": "make", "args": [1]}',
        '{"tool": "make", "args": "pan, 2"}',
        '{"tool": "make", "args": "{\\"name\\": \\"pa"}',
        '{"tool": "make", "args": 3}',
    ],
)
def test_a_call_whose_arguments_are_not_sure_has_none(item: str) -> None:
    plan = _read(f'{{"action": "call", "calls": [{item}, {{"tool": "look", "args": {{}}}}]}}')

    assert isinstance(plan, tuple)
    assert (plan[0].name, plan[0].arguments, bool(plan[0].raw)) == ("make", None, True)
    assert plan[1:] == LOOK


@pytest.mark.parametrize("item", ["3", "null", "[]", "{}"])
def test_a_call_without_a_name_does_not_stop_its_neighbour(item: str) -> None:
    plan = _read(f'{{"action": "call", "calls": [{item}, {{"tool": "look"}}]}}')

    assert isinstance(plan, tuple)
    assert [request.name for request in plan] == ["", "look"]


def test_a_tool_that_nobody_knows_is_left_to_the_loop() -> None:
    assert _read('{"tool": "mkae", "args": {}}') == (ToolRequest("mkae", {}),)


def test_a_thought_without_an_end_is_cut() -> None:
    with pytest.raises(CutError):
        _read(f"<think>I could say {HELLO}")


def test_a_flood_of_thoughts_is_read_once() -> None:
    with pytest.raises(CutError):
        _read("<think>" * 500_000)
    assert _read("<think></think>" * 100_000 + "</think>" * 100_000 + "Hola") == "Hola"


def test_what_is_nested_too_deep_is_not_read() -> None:
    deep = "[" * MAX_DEPTH + "]" * MAX_DEPTH

    assert list(values(f'{{"a": {deep}}} {HELLO}')) == [None]


@pytest.mark.parametrize("text", ['{"a":' * 50_000, "{a:" + "[" * 100_000, '{"a"' * 50_000 + "}" * 50_000])
def test_a_flood_of_brackets_does_no_harm(text: str) -> None:
    with suppress(CutError):
        assert list(values(text)) == [None]


# Whatever a model writes

texts = st.text(max_size=20)
leaves = st.none() | st.booleans() | st.integers(-1000, 1000) | texts
jsons = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
calls = st.fixed_dictionaries({"tool": st.sampled_from(["look", "make"]), "args": st.dictionaries(texts, jsons)})
plans = st.fixed_dictionaries({"action": st.just("call"), "calls": st.lists(calls, min_size=1, max_size=3)})
marks = st.sampled_from([*"{}[]:,\"'“”\\\n ", "//", "/*", "*/", "<think>", "</think>", "```"])
pieces = marks | st.sampled_from(["action", "call", "calls", "tool", "args", "reply", "look", "None", "1", PLAN, HELLO])


def _python(plan: Any) -> str:
    return repr(plan)


def _listed(plan: Any) -> str:
    return json.dumps(plan["calls"], ensure_ascii=False)


def _indented(plan: Any) -> str:
    return json.dumps(plan, indent=1)


@given(st.text() | st.lists(pieces, max_size=40).map("".join))
def test_no_text_breaks_the_reading(text: str) -> None:
    try:
        plan = _read(text)
    except CutError:
        return
    assert plan is None or isinstance(plan, str | tuple)


@given(plans)
def test_a_whole_plan_is_read_as_it_was_meant(plan: Any) -> None:
    read = _read(json.dumps(plan))

    assert isinstance(read, tuple)
    assert [request.name for request in read] == [call["tool"] for call in plan["calls"]]


@given(plans, st.sampled_from([json.dumps, _python, _listed, _indented]), st.data())
def test_a_plan_cut_anywhere_asks_for_nothing(plan: Any, written: Any, data: st.DataObject) -> None:
    text = written(plan)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    try:
        read = _read(cut)
    except CutError:
        return
    assert not isinstance(read, tuple)
    assert read in (None, "")
