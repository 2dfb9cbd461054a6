"""Making a table's rows equal to what is wanted, with as few writes as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

BATCH = 500

#: The values of a row's identifying fields, in their order.
Identity = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What happened to one kind of rows.

    ``gone``: deactivated; or removed, where nothing refers to such rows.
    """

    created: int = 0
    updated: int = 0
    gone: int = 0


def sync(
    model: type[models.Model],
    identity: Sequence[str],
    wanted: Mapping[Identity, Mapping[str, Any]],
) -> Counts:
    """Create or update the wanted rows and deactivate all others. Requires a transaction.

    ``identity`` are fields with a unique constraint, ``wanted`` maps their
    values to the other fields'.  Rows about to change are made inactive first,
    so that two may exchange names that only active rows must not share.
    """
    existing = {_values(row, identity): row for row in model._default_manager.all()}
    new = [key for key in wanted if key not in existing]
    changed = [key for key, fields in wanted.items() if key in existing and _differs(existing[key], fields)]
    gone = [row.pk for key, row in existing.items() if key not in wanted and row.active]  # type: ignore[attr-defined]
    touched = [*gone, *(existing[key].pk for key in changed)]
    if touched:
        model._default_manager.filter(pk__in=touched).update(active=False)
    _upsert(model, identity, {key: wanted[key] for key in [*changed, *new]})
    return Counts(created=len(new), updated=len(changed), gone=len(gone))


def replace(model: type[models.Model], fields: Sequence[str], wanted: Sequence[Identity], **scope: Any) -> Counts:
    """Make the rows of ``scope`` exactly the wanted ones, which have no history to keep.

    ``wanted`` are values of ``fields``.  Requires a transaction.
    """
    unclaimed = {_hashable(values): values for values in wanted}
    superfluous = [
        row.pk
        for row in model._default_manager.filter(**scope)
        if unclaimed.pop(_hashable(_values(row, fields)), None) is None
    ]
    if superfluous:
        model._default_manager.filter(pk__in=superfluous).delete()
    rows = [model(**dict(zip(fields, values, strict=True))) for values in unclaimed.values()]
    model._default_manager.bulk_create(rows, batch_size=BATCH)
    return Counts(created=len(unclaimed), gone=len(superfluous))


def _upsert(model: type[models.Model], identity: Sequence[str], wanted: Mapping[Identity, Mapping[str, Any]]) -> None:
    if not wanted:
        return
    rows = [model(**dict(zip(identity, key, strict=True)), **fields) for key, fields in wanted.items()]
    model._default_manager.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=[model._meta.get_field(name).name for name in identity],
        update_fields=list(next(iter(wanted.values()))),
    )


def _values(row: models.Model, fields: Sequence[str]) -> Identity:
    return tuple(getattr(row, name) for name in fields)


def _differs(row: models.Model, fields: Mapping[str, Any]) -> bool:
    return any(getattr(row, name) != value for name, value in fields.items())


def _hashable(values: Identity) -> Identity:
    return tuple(tuple(value) if isinstance(value, list) else value for value in values)
