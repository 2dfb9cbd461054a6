"""`manage.py rotate_secrets_key`: seal all stored keys anew under the first key of SECRETS_KEY."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from aitools import keyring
from aitools.models import ModelEndpoint


class Command(BaseCommand):
    help = "Seal the models' keys anew under the first key of SECRETS_KEY. It can be stopped and run again."

    def handle(self, **options: Any) -> None:
        if not keyring.can_seal():
            raise CommandError("SECRETS_KEY is not set: put the new key before the old one, separated by a comma.")
        stored = ModelEndpoint.objects.exclude(sealed_key="").order_by("pk")
        outcomes = [_reseal(pk) for pk in stored.values_list("pk", flat=True)]
        for outcome in ("sealed anew", "already new"):
            self.stdout.write(f"{outcome}: {outcomes.count(outcome)}")
        lost = [outcome for outcome in outcomes if outcome not in {"sealed anew", "already new", "gone"}]
        if lost:
            raise CommandError(f"These can't be opened, keep the old key or type them again: {', '.join(lost)}")


@transaction.atomic
def _reseal(pk: int) -> str:
    """What became of this one; the model's name if its key can't be opened."""
    row = ModelEndpoint.objects.select_for_update().filter(pk=pk).exclude(sealed_key="").first()
    if row is None:
        return "gone"
    if keyring.is_newest(row.sealed_key) and keyring.opens(row.sealed_key, row.place):
        return "already new"
    try:
        plain = keyring.unseal(row.sealed_key, row.place)
    except keyring.CannotOpen:
        return row.name
    row.sealed_key = keyring.seal(plain, row.place)
    row.save(update_fields=["sealed_key"])
    return "sealed anew"
