"""Search that ignores accents and case, with nothing but what every PostgreSQL has."""

from __future__ import annotations

import unicodedata
from typing import Any, ClassVar

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Lower
from django.http import HttpRequest
from unfold.admin import ModelAdmin

_ACCENTED = "áàâäãåéèêëíìîïóòôöõúùûüçñ"


def plain(text: str) -> str:
    """Lower case without accents."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(char for char in parts if not unicodedata.combining(char))


class Plain(Func):
    """A column as ``plain`` makes it. No extension does it: managed databases differ in those."""

    function = "translate"
    output_field = TextField()

    def __init__(self, column: str | Func) -> None:
        source = F(column) if isinstance(column, str) else column
        super().__init__(Lower(source), Value(_ACCENTED), Value(plain(_ACCENTED)))


class PlainSearch(ModelAdmin):
    """Finds rows that have every word in one of their columns: ``search_fields``, ``search_lists`` (arrays)."""

    search_lists: ClassVar[tuple[str, ...]] = ()

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        words = plain(search_term).replace("\0", "").split()
        columns = {f"plain_{name}": Plain(name) for name in self.get_search_fields(request)}
        columns |= {f"plain_{name}": Plain(_joined(name)) for name in self.search_lists}
        if words:
            queryset = queryset.alias(**columns)
        for word in words:
            found = Q()
            for column in columns:
                found |= Q(**{f"{column}__contains": word})
            queryset = queryset.filter(found)
        return queryset, False


def _joined(column: str) -> Func:
    return Func(F(column), Value(" "), function="array_to_string", output_field=TextField())
