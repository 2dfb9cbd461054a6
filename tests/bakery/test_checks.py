"""Faults that stop the start, as `manage.py check` tells them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import checks

from aitools.tools import Tool, ToolContext, registry
from bakery.checks import tools_are_complete


def nothing(args: Any, ctx: ToolContext) -> None: ...


def test_the_shops_tools_are_complete() -> None:
    assert tools_are_complete(None) == []


def test_each_tool_that_names_a_stranger_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    undo = Tool("undo", "Undoes.", nothing, {"type": "object"}, forgets=("mkae", "mvoe"))
    monkeypatch.setattr(registry, "_tools", {"undo": undo})
    assert tools_are_complete(None) == [
        checks.Error("Tool 'undo': it forgets 'mkae', which is no tool.", id="bakery.E002"),
        checks.Error("Tool 'undo': it forgets 'mvoe', which is no tool.", id="bakery.E002"),
    ]
