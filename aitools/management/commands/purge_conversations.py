"""`manage.py purge_conversations`: empty messages and tool arguments that are older than they are kept."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aitools import retention


class Command(BaseCommand):
    help = "Empty the words and arguments of old conversations. Beat does it daily; it can be stopped and run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=None, help="older than this; the profile's setting if left out")
        parser.add_argument("--dry-run", action="store_true", help="count the rows, change nothing")

    def handle(self, **options: Any) -> None:
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError("--days must be 1 or more.")
        counts = retention.purge(days=days, dry_run=options["dry_run"])
        if not counts:
            self.stdout.write("Nothing is emptied: the profile keeps conversations for ever.")
        for table, count in counts.items():
            self.stdout.write(f"{table}: {count}")
