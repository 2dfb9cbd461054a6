"""``manage.py load_menu FILE``: the shop becomes this menu file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from orders.menu_files import MenuFileError, load, read


class Command(BaseCommand):
    """Loads a ``menu/1`` file whole, or tells what is wrong with it and loads nothing."""

    help = "Make the shop become a menu/1 file. What the file lacks is deactivated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            menu = read(options["file"])
        except MenuFileError as error:
            raise CommandError(f"{options['file']} was not loaded.\n{error}") from error
        for kind, counts in load(menu).items():
            self.stdout.write(f"{kind}: {counts.created} created, {counts.updated} updated, {counts.gone} deactivated")
        self.stdout.write(self.style.SUCCESS(f"{menu.name}: loaded {options['file']}."))
