"""``manage.py report --from DAY --to DAY --by day``: orders and money of a range of days."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from aitools import clock
from orders.catalogue import ShopTerms, current
from orders.pricing import show
from orders.reports import By, Report, ReportRow, headings, report, titled, to_csv


class Command(BaseCommand):
    """Prints a report, or writes it as CSV."""

    help = "Orders and money by day, product, branch or channel; today by default."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="first", type=date.fromisoformat, help="first day, YYYY-MM-DD")
        parser.add_argument("--to", dest="last", type=date.fromisoformat, help="last day, YYYY-MM-DD")
        parser.add_argument("--by", choices=[str(by) for by in By], default=str(By.DAY))
        parser.add_argument("--csv", type=Path, help="write a spreadsheet file instead of printing")

    def handle(self, *args: Any, **options: Any) -> None:
        terms = current().shop
        today = clock.now().astimezone(terms.timezone).date()
        first, last = options["first"] or today, options["last"] or today
        if last < first:
            raise CommandError("--to must not be before --from.")
        made = report(first, last, By(options["by"]))
        if options["csv"] is not None:
            options["csv"].write_text(to_csv(made, terms), encoding="utf-8", newline="")
            self.stdout.write(f"{len(made.rows)} rows written to {options['csv']}")
            return
        for line in _table(made, terms):
            self.stdout.write(line)


def _table(made: Report, terms: ShopTerms) -> list[str]:
    cells = [headings(made.by), *(_cells(row, made.by, terms) for row in (*made.rows, made.total))]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        "  ".join(cell.ljust(width) if not column else cell.rjust(width) for column, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in cells)
    ]


def _cells(row: ReportRow, by: By, terms: ShopTerms) -> list[str]:
    return [
        titled(row, by),
        str(row.orders),
        str(row.quantity),
        show(row.money, terms),
        str(row.cancelled),
        show(row.cancelled_money, terms),
    ]
