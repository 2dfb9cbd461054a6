"""Faults that stop the start, as `manage.py check` tells them."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from django.core import checks
from pytest_django import Settings

from aitools.tools import Tool, ToolContext, registry
from bakery.checks import the_models_sdk_is_installed, tools_are_complete


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


def test_a_question_under_a_default_title_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    asks: dict[str, Any] = {"confirm": True, "effects": "database"}
    bare = Tool("make_it", "Makes.", nothing, {"type": "object"}, **asks)
    titled = Tool("undo_it", "Undoes.", nothing, {"type": "object"}, title="Undo", **asks)
    worded = Tool("redo_it", "Redoes.", nothing, {"type": "object"}, confirm_message="Again?", **asks)
    monkeypatch.setattr(registry, "_tools", {one.name: one for one in (bare, titled, worded)})
    fault = "it asks customers under its default title 'Make it': give it a title or a confirm_message"
    assert tools_are_complete(None) == [checks.Error(f"Tool 'make_it': {fault}.", id="bakery.E002")]


def test_gemini_is_refused_where_its_sdk_is_not_installed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.AI_PROVIDER = "gemini"
    assert the_models_sdk_is_installed(None) == []

    monkeypatch.setitem(sys.modules, "google.genai", None)
    install = "Install google-genai to use Gemini: pip install -r requirements-gemini.txt"
    assert the_models_sdk_is_installed(None) == [checks.Error(install, id="bakery.E003")]


def test_who_asks_others_needs_no_sdk_of_gemini(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.genai", None)
    assert the_models_sdk_is_installed(None) == []
