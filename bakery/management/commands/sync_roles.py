"""`manage.py sync_roles`: the groups owner, manager, counter and kitchen, with exactly their permissions."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bakery import roles


class Command(BaseCommand):
    """Idempotent. Other groups, and who is in which, stay as they are."""

    help = "Make or repair the groups owner, manager, counter and kitchen."

    def handle(self, *args: Any, **options: Any) -> None:
        """Needs the permissions that migrate makes."""
        try:
            names = roles.sync()
        except LookupError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(f"Roles in place: {', '.join(names)}.")
