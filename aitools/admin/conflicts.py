"""Two people with one row open: the second never overwrites the first unseen.

Each field carries what the form showed (Django's hidden initial value), so a
field counts as changed only against what that person saw. Fields they left
alone are not written. A field that both changed is a conflict: nothing is
saved, and the message says who changed it and to what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Field, Model, QuerySet
from django.forms.boundfield import BoundField
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

#: Lines of a text box; it grows by its corner.
ROWS = 3


class GuardedForm(forms.ModelForm[Any]):
    """Refuses to change what somebody else has changed since it was shown."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.instance.pk:
            for bound in self._conflicts():
                self.add_error(bound.name, self._explained(bound))
        return cleaned

    def save(self, commit: bool = True) -> Any:
        """As Django's, but a row of an inline writes only what was changed in it."""
        if not commit or self.instance.pk is None or self.errors:
            return super().save(commit)
        save_changed(self.instance, self.changed_data)
        return self.instance

    def _conflicts(self) -> Iterator[BoundField]:
        for name in self.changed_data:
            bound = self[name]
            now = self.get_initial_for_field(bound.field, name)
            if bound.field.has_changed(now, self._shown(bound)) and bound.field.has_changed(now, bound.data):
                yield bound

    def _shown(self, bound: BoundField) -> Any:
        return bound.field.hidden_widget().value_from_datadict(self.data, self.files, bound.html_initial_name)

    def _explained(self, bound: BoundField) -> ValidationError:
        who = _last_editor(self.instance)
        value = bound.field.prepare_value(self.get_initial_for_field(bound.field, bound.name))
        if who:
            text = _(
                "%(who)s has changed this to “%(value)s” while you had it open. "
                "Nothing was saved. Reload the page to go on."
            )
        else:
            text = _(
                "This was changed to “%(value)s” while you had it open. Nothing was saved. Reload the page to go on."
            )
        return ValidationError(text, code="conflict", params={"who": who, "value": value})


class GuardedFields:
    """For admins and inlines: fields that remember what they showed, and are no larger than they need."""

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, ArrayField):
            kwargs["widget"] = UnfoldAdminTextInputWidget()
        field = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if field is not None:
            field.show_hidden_initial = True
            if isinstance(field.widget, forms.Textarea):
                field.widget.attrs["rows"] = ROWS
        return field


class GuardedAdmin(GuardedFields, ModelAdmin):
    """A form and an editable list in which only the changed fields are written, or nothing."""

    form = GuardedForm

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> type[forms.ModelForm[Any]]:
        kwargs.setdefault("form", GuardedForm)
        return super().get_changelist_form(request, **kwargs)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model | None:
        """The row; locked before it is read when it is about to be changed."""
        if request.method == "POST" and transaction.get_connection().in_atomic_block:
            self._lock(self.get_queryset(request).filter(pk=object_id) if object_id.isdecimal() else None)
        return super().get_object(request, object_id, from_field)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if "_save" not in request.POST:
            return super().changelist_view(request, extra_context)
        with transaction.atomic():
            return super().changelist_view(request, extra_context)

    def _get_list_editable_queryset(self, request: HttpRequest, prefix: str) -> QuerySet[Any]:
        rows: QuerySet[Any] = super()._get_list_editable_queryset(request, prefix)
        self._lock(rows)
        return rows

    def _lock(self, rows: QuerySet[Any] | None) -> None:
        if rows is not None:
            list(rows.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            save_changed(obj, form.changed_data)
        else:
            obj.save()


def save_changed(row: Model, names: Iterable[str]) -> None:
    """Write only these fields of a stored row, those that are columns."""
    columns = {field.name for field in row._meta.concrete_fields}
    if changed := columns.intersection(names):
        row.save(update_fields=changed)


def _last_editor(row: Model) -> str:
    entry = (
        LogEntry.objects.filter(content_type=ContentType.objects.get_for_model(row), object_id=str(row.pk))
        .select_related("user")
        .first()
    )
    return str(entry.user) if entry else ""
