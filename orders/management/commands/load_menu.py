"""``manage.py load_menu FILE``: the shop becomes this menu file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from orders.menu_files import MenuFile, MenuFileError, load, read
from orders.models import Shop


class Command(BaseCommand):
    """Loads a ``menu/1`` file whole, or tells what is wrong with it and loads nothing."""

    help = "Make the shop become a menu/1 file. What the file lacks is deactivated."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--replace-shop", action="store_true", help="load it although its key is not that of the running shop"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            menu = read(options["file"])
        except MenuFileError as error:
            raise CommandError(f"{options['file']} was not loaded.\n{error}") from error
        if not options["replace_shop"]:
            _refuse_another_shop(menu)
        for kind, counts in load(menu).items():
            self.stdout.write(f"{kind}: {counts.created} created, {counts.updated} updated, {counts.gone} deactivated")
        self.stdout.write(self.style.SUCCESS(f"{menu.name}: loaded {options['file']}."))


def _refuse_another_shop(menu: MenuFile) -> None:
    """The wrong file would switch off every product and rename the shop."""
    running = Shop.objects.values_list("key", flat=True).first()
    if running not in (None, menu.key):
        raise CommandError(
            f"key: this file is of the shop {menu.key!r}, and {running!r} is running; nothing was loaded. "
            "Load it with --replace-shop if it shall take that shop's place."
        )
