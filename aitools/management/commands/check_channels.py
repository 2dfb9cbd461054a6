"""`manage.py check_channels`: is each channel set up right, at its vendor too?"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from aitools.channels.base import Checkable, Checkup, channel_for


class Command(BaseCommand):
    help = "Say what is missing or wrong in the set-up of each channel. Asks the vendors; sends nobody a message."

    def handle(self, **options: Any) -> None:
        found = {name: channel.check() for name in settings.AITOOLS_CHANNELS if (channel := _checkable(name))}
        for name, checkup in found.items():
            self._tell(name, checkup)
        wrong = [name for name, checkup in found.items() if checkup.problems]
        if wrong:
            raise CommandError(f"Not right yet: {', '.join(wrong)}.")

    def _tell(self, name: str, checkup: Checkup) -> None:
        if not checkup.is_used:
            self.stdout.write(f"{name}: not set up.")
            return
        self.stdout.write(f"{name}: {'something is wrong.' if checkup.problems else 'all right.'}")
        for line in checkup.facts:
            self.stdout.write(f"  ✓ {line}")
        for line in checkup.problems:
            self.stdout.write(f"  ✗ {line}")


def _checkable(name: str) -> Checkable | None:
    channel = channel_for(name)
    return channel if isinstance(channel, Checkable) else None
