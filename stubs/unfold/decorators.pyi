from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models.expressions import BaseExpression, Combinable
from django.utils.functional import Promise

_Column = TypeVar("_Column", bound=Callable[..., Any])

def display(
    *,
    boolean: bool | None = None,
    image: bool | None = None,
    ordering: str | Combinable | BaseExpression | None = None,
    description: str | Promise | None = None,
    empty_value: str | Promise | None = None,
    dropdown: bool | None = None,
    label: bool | str | dict[str, str] | None = None,
    header: bool | None = None,
) -> Callable[[_Column], _Column]: ...
