"""The conformance table of docs/engine.md: each rule once, each with a test that is there."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from aitools import events
from aitools.tools import Tool

PROJECT = Path(__file__).parents[1]
PAGE = (PROJECT / "docs" / "engine.md").read_text()
TABLE = PAGE.partition("\n## Conformance\n")[2]
#: What "What to build" of the engine names, and what breaks other engines.
PARTS = (
    "Declaring",
    "Context",
    "Loop",
    "Confirmation",
    "Repeated effects",
    "System note",
    "Truth",
    "History",
    "Use from code",
    "JSON plan",
    "Audit",
    "What goes wrong elsewhere",
)
LINK = re.compile(r"\[`(tests/[\w/]+\.py)::([\w:]+)`\]\(\.\./(tests/[\w/]+\.py)\)")


class Row(NamedTuple):
    part: str
    rule: str
    proof: str


def _rows() -> list[Row]:
    rows: list[Row] = []
    for section in re.split(r"^### ", TABLE, flags=re.MULTILINE)[1:]:
        title, *lines = section.splitlines()
        cells = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in lines if line.startswith("| ")]
        rows += [Row(title, *(cell.strip() for cell in row)) for row in cells if row[0].strip() not in ("rule", "---")]
    return rows


ROWS = _rows()


@cache
def found_in(path: str) -> frozenset[str]:
    """Names of the tests that a module collects: functions, and methods after their class."""
    body = ast.parse((PROJECT / path).read_text()).body
    tests = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    for group in (node for node in body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")):
        tests |= {f"{group.name}::{node.name}" for node in group.body if isinstance(node, ast.FunctionDef)}
    return frozenset(name for name in tests if name.split("::")[-1].startswith("test_"))


def test_every_part_has_its_rows() -> None:
    assert tuple(dict.fromkeys(row.part for row in ROWS)) == tuple(f"{n}. {name}" for n, name in enumerate(PARTS, 1))
    assert len(ROWS) >= 250


def _names_a_test(proof: str) -> bool:
    named = LINK.fullmatch(proof)
    return named is not None and named[1] == named[3] and named[2] in found_in(named[1])


def test_each_rule_names_a_test_that_is_there() -> None:
    assert [row for row in ROWS if not _names_a_test(row.proof)] == []


def test_no_rule_is_there_twice() -> None:
    assert [row for row, count in Counter((row.part, row.rule) for row in ROWS).items() if count > 1] == []


def test_the_ten_lines_of_the_page_work_and_are_ten() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len([line for line in block.splitlines() if line]) == 10
    names: dict[str, Any] = {}
    exec(compile(block, "docs/engine.md", "exec"), names)
    assert names["done"].text == "20 bolts wait for you."
    assert names["LEFT"] == {"bolts": 20}
    names["model"].assert_exhausted()


def test_the_page_names_every_field_of_a_tool_and_every_kind_of_event() -> None:
    described = set(re.findall(r"^\| `(\w+)[`(]", PAGE, re.MULTILINE))
    assert {one.name for one in fields(Tool)} - described == set()
    assert [kind for kind in events.KINDS if f"`{kind}`" not in PAGE] == []
