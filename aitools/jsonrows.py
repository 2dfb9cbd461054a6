"""Rows that came as JSON in one statement with others, as model instances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import TypeVar
from uuid import UUID

from django.db.models import DEFERRED, DateTimeField, Model, UUIDField

from aitools.types import Json

Row = TypeVar("Row", bound=Model)


def instance(model: type[Row], row: Mapping[str, Json]) -> Row:
    """A stored row from PostgreSQL's JSON of it, by column; what is not in it is read when asked for."""
    values = [_value(row.get(name, DEFERRED), read) for name, read in _columns(model)]
    return model.from_db("default", [name for name, _ in _columns(model) if name in row], values)


def _value(value: Json, read: Callable[[str], object] | None) -> object:
    return value if read is None or value is None or value is DEFERRED else read(value)


@cache
def _columns(model: type[Model]) -> tuple[tuple[str, Callable[[str], object] | None], ...]:
    """Every column in the model's order, with what makes its value of a JSON string."""
    readers: list[tuple[type, Callable[[str], object]]] = [(DateTimeField, datetime.fromisoformat), (UUIDField, UUID)]
    fields = model._meta.concrete_fields
    return tuple(
        (field.attname, next((read for kind, read in readers if isinstance(field, kind)), None)) for field in fields
    )
