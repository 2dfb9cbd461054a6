"""Checking arguments before anybody is asked: one place, one wording."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import Error as DatabaseFault
from jsonschema.exceptions import ValidationError as Mismatch
from jsonschema.exceptions import best_match
from pydantic import BaseModel, ValidationError
from rapidfuzz import fuzz, process, utils

from aitools import choices, faults
from aitools.schemas import Shape
from aitools.tools import BoundTool
from aitools.types import Json, ToolRequest

log = logging.getLogger(__name__)

NOT_ASKED = "The call was not run and the user was not asked. Correct it and call again."
MAX_FAULTS = 5
MAX_FAULT_CHARACTERS = 300
#: Longer lists of allowed values are not told, only the nearest ones.
MAX_ALLOWED = 12


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
    """Parse one call's arguments by the tool's schema of this turn.

    Every closed set is read at most once.  Raises only what a database that is
    away raises: a validator that breaks is told to the model as a fault.
    """
    if request.arguments is None:
        return Invalid(f"The arguments are not a JSON object. {NOT_ASKED}")
    try:
        with choices.moment():
            return _checked(bound.shape, request.arguments)
    except DatabaseFault:
        raise
    except Exception as error:  # noqa: BLE001 - logged with where, without its words
        log.error("the arguments of tool %s could not be checked: %s", bound.tool.name, faults.reason_of(error))  # noqa: TRY400
        return Invalid(f"The arguments could not be checked ({type(error).__name__}). {NOT_ASKED}")


def digest_of(arguments: Mapping[str, Json]) -> str:
    """What makes two calls the same: their validated arguments, in any order; 128 bits as 22 characters."""
    text = json.dumps(_canonical(arguments), sort_keys=True, ensure_ascii=False, default=str)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
    return base64.b64encode(digest[:16]).decode().rstrip("=")


def _canonical(value: Json) -> Json:
    """Whole numbers in one form: PostgreSQL gives 1e16 back as 10000000000000000, and -0.0 as 0."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _canonical(item) for key, item in value.items()}
    return [_canonical(item) for item in value] if isinstance(value, list | tuple) else value


def _checked(shape: Shape, arguments: Mapping[str, Json]) -> Valid | Invalid:
    if not _is_json(arguments):
        return Invalid(f"Numbers must be finite and values nested less deeply. {NOT_ASKED}")
    return _by_json_schema(shape, arguments) if shape.model is None else _by_model(shape.model, arguments)


def _is_json(arguments: Mapping[str, Json]) -> bool:
    """Vendors' readers let through what no database stores: NaN, infinity."""
    try:
        json.dumps(arguments, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _by_model(model: type[BaseModel], arguments: Mapping[str, Json]) -> Valid | Invalid:
    try:
        parsed = model.model_validate(arguments)
    except ValidationError as error:
        return _invalid([(fault["loc"], fault["msg"]) for fault in error.errors(include_url=False)[:MAX_FAULTS]])
    stored = parsed.model_dump(mode="json")
    return Valid(parsed, stored, digest_of(stored))


def _by_json_schema(shape: Shape, arguments: Mapping[str, Json]) -> Valid | Invalid:
    given = copy.deepcopy(dict(arguments))
    mismatches = list(islice(shape.validator.iter_errors(given), MAX_FAULTS))
    if mismatches:
        return _invalid([_told(best_match([mismatch])) for mismatch in mismatches])
    return Valid(given, arguments, digest_of(arguments))


def _told(mismatch: Mismatch) -> tuple[tuple[Any, ...], str]:
    path = tuple(mismatch.absolute_path)
    allowed: Any = mismatch.validator_value
    if mismatch.validator != "enum" or len(allowed) <= MAX_ALLOWED:
        return path, mismatch.message
    nearest = ", ".join(_nearest(mismatch.instance, allowed))
    return path, f"{str(mismatch.instance)[:80]!r} is not allowed; nearest: {nearest}"


def _nearest(given: Json, allowed: list[Json]) -> list[str]:
    word = str(given)[: choices.MAX_WORD_CHARACTERS]
    names = [str(one) for one in allowed]
    found = process.extract(word, names, scorer=fuzz.QRatio, processor=utils.default_process, limit=choices.NEAREST)
    return [name for name, _, _ in found]


def _invalid(found: list[tuple[tuple[Any, ...], str]]) -> Invalid:
    told = "; ".join(f"{_path(where)}: {what[:MAX_FAULT_CHARACTERS]}" for where, what in found)
    return Invalid(f"{told}. {NOT_ASKED}")


def _path(location: tuple[Any, ...]) -> str:
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).lstrip(".") or "arguments"
