"""What has a history is switched off, not deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.http import HttpRequest
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin


class KeepsHistory(ModelAdmin):
    """Refuses to delete rows that orders point to, in one line that says what to do.

    ``history`` names the relations to look at, such as ``"order_lines"``.
    Django's own page would list every order line there is.
    """

    history: ClassVar[tuple[str, ...]] = ()

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[str]]:
        kept = [str(row) for row in objs if self._has_history(row)]
        if not kept:
            return super().get_deleted_objects(objs, request)
        text = _("%(name)s is part of orders and stays. Switch off “active” to take it off the menu.")
        return [], {}, set(), [text % {"name": name} for name in kept]

    def _has_history(self, row: Any) -> bool:
        return any(_related(row, path.split("__")) for path in self.history)


def _related(row: Any, path: Iterable[str]) -> bool:
    first, *rest = path
    related = getattr(row, first)
    return bool(related.filter(**{f"{'__'.join(rest)}__isnull": False}).exists() if rest else related.exists())
