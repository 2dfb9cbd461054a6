"""Checking arguments before anybody is asked: one place, one wording."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from aitools.tools import BoundTool
from aitools.types import Json, ToolRequest

NOT_ASKED = "The call was not run and the user was not asked. Correct it and call again."
MAX_FAULTS = 5


@dataclass(frozen=True, slots=True)
class Valid:
    """Arguments that passed: parsed for the handler, and as they are stored."""

    parsed: Any
    arguments: Mapping[str, Json]
    digest: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """Arguments that did not pass; ``reason`` is for the model, in English."""

    reason: str


def validate(bound: BoundTool, request: ToolRequest) -> Valid | Invalid:
    """Parse one call's arguments by the tool's schema of this turn."""
    if request.arguments is None:
        return Invalid(f"The arguments are not a JSON object. {NOT_ASKED}")
    if bound.model is None:
        return _by_json_schema(bound.json_schema, request.arguments)
    return _by_model(bound.model, request.arguments)


def digest_of(arguments: Mapping[str, Json]) -> str:
    """What makes two calls the same: their validated arguments, in any order."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _by_model(model: type[BaseModel], arguments: Mapping[str, Json]) -> Valid | Invalid:
    try:
        parsed = model.model_validate(arguments)
    except ValidationError as error:
        faults = [f"{_path(fault['loc'])}: {fault['msg']}" for fault in error.errors(include_url=False)[:MAX_FAULTS]]
        return Invalid(f"{'; '.join(faults)}. {NOT_ASKED}")
    stored = parsed.model_dump(mode="json")
    return Valid(parsed, stored, digest_of(stored))


def _by_json_schema(schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> Valid | Invalid:
    faults = [
        f"{_path(tuple(error.absolute_path))}: {error.message}"
        for error in Draft202012Validator(schema).iter_errors(dict(arguments))
    ]
    if faults:
        return Invalid(f"{'; '.join(faults[:MAX_FAULTS])}. {NOT_ASKED}")
    return Valid(dict(arguments), dict(arguments), digest_of(arguments))


def _path(location: tuple[Any, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).lstrip(".") or "arguments"
