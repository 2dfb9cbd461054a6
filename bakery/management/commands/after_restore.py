"""`manage.py after_restore`: what must happen between restoring a backup and starting workers."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aitools import restoring
from orders.restoring import skip_numbers


class Command(BaseCommand):
    help = "Leave to staff all that was under way in a restored backup, and skip order numbers given since it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--minutes", type=int, default=0, help="only conversations without a message for so long; all if left out"
        )
        parser.add_argument(
            "--skip-numbers", type=int, default=0, help="order numbers to leave out for each branch and coming day"
        )
        parser.add_argument("--dry-run", action="store_true", help="count, change nothing")

    def handle(self, **options: Any) -> None:
        if options["minutes"] < 0 or options["skip_numbers"] < 0:
            raise CommandError("--minutes and --skip-numbers must be 0 or more.")
        left = restoring.leave_to_staff(minutes=options["minutes"], dry_run=options["dry_run"])
        for what, count in asdict(left).items():
            self.stdout.write(f"{what.replace('_', ' ')}: {count}")
        if options["skip_numbers"] and not options["dry_run"]:
            moved = skip_numbers(options["skip_numbers"])
            self.stdout.write(f"order numbers: {moved} counters moved on by {options['skip_numbers']}")
