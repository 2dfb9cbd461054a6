"""Reports: what they add up is what the database holds."""

from __future__ import annotations

import csv
import io
import random
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from orders import catalogue
from orders.models import Order, Product
from orders.reports import By, plain_cell, report, to_csv
from tests.orders import factories as make

MONDAY = date(2026, 11, 23)
SUNDAY = date(2026, 11, 29)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("english")]


@pytest.fixture
def week() -> None:
    """A week of orders at two branches on two channels, late evenings included, some cancelled."""
    make.load_menu(make.menu(policies={"max_days_ahead": 30}))
    chance = random.Random(7)
    for number in range(40):
        moment = datetime(2026, 11, 23, 8, 30, tzinfo=make.BOGOTA) + timedelta(
            days=chance.randrange(-1, 8), minutes=chance.randrange(0, 660)
        )
        ctx = make.context(
            address=f"+5730000003{number % 7:02}",
            channel=chance.choice(["twilio_sms", "twilio_whatsapp"]),
            now=moment,
        )
        items = [(key, chance.randrange(1, 9)) for key in chance.sample(["bollo", "bollo-sal"], chance.randrange(1, 3))]
        placed = make.order(ctx, *items, branch="sur" if number % 3 else "norte") if _open(moment, number) else None
        if placed and number % 5 == 0:
            make.run("cancel_order", {"order": placed["code"]}, ctx)


def _open(moment: datetime, number: int) -> bool:
    """Norte rests on Sundays and at midday; Sur is open whenever this week writes."""
    return bool(number % 3) or (moment.weekday() < 6 and (moment.hour < 11 or 14 <= moment.hour < 18))


def sql(query: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, [MONDAY, SUNDAY])
        rows: list[tuple[object, ...]] = cursor.fetchall()
    return rows


IN_WEEK = "business_date BETWEEN %s AND %s"
SOLD = "FILTER (WHERE state <> 'cancelled')"
CANCELLED = "FILTER (WHERE state = 'cancelled')"
SUMS = f"count(*) {SOLD}, coalesce(sum(total) {SOLD}, 0), count(*) {CANCELLED}"
LINE_SUMS = f"count(DISTINCT o.id) {SOLD}, coalesce(sum(line_total) {SOLD}, 0), count(DISTINCT o.id) {CANCELLED}"
LINES = "orders_orderline l JOIN orders_order o ON o.id = l.order_id"
BRANCHES = "orders_order o JOIN orders_branch b ON b.id = o.branch_id"


@pytest.mark.usefixtures("week")
@pytest.mark.parametrize(
    ("by", "selected"),
    [
        (By.DAY, f"business_date::text, {SUMS} FROM orders_order"),
        (By.CHANNEL, f"channel, {SUMS} FROM orders_order"),
        (By.BRANCH, f"b.name, {SUMS} FROM {BRANCHES}"),
        (By.PRODUCT, f"l.name, {LINE_SUMS} FROM {LINES}"),
    ],
)
def test_a_week_equals_an_independent_sum(by: By, selected: str) -> None:
    made = report(MONDAY, SUNDAY, by)
    rows = [(row.label, row.orders, row.money, row.cancelled) for row in made.rows]
    assert len(rows) > 1
    assert sorted(rows) == sorted(sql(f"SELECT {selected} WHERE {IN_WEEK} GROUP BY 1"))
    in_week = sql(f"SELECT sum(total) FROM orders_order WHERE {IN_WEEK} AND state <> 'cancelled'")
    assert made.total.money == in_week[0][0]
    assert made.total.orders == Order.objects.counted().filter(business_date__range=(MONDAY, SUNDAY)).count()


def test_a_late_evening_belongs_to_the_branchs_day() -> None:
    make.load_menu(make.menu())
    make.order(make.context(now=datetime(2026, 11, 24, 19, 20, tzinfo=make.BOGOTA)), ("bollo", 1), branch="sur")
    assert [row.label for row in report(MONDAY, SUNDAY).rows] == ["2026-11-24"]


def test_a_day_without_orders_has_no_row() -> None:
    make.load_menu(make.menu())
    made = report(MONDAY, SUNDAY)
    assert (made.rows, made.total.money, made.total.orders) == ((), Decimal(0), 0)


@pytest.mark.parametrize("text", ["=1+1", "+57", "-x", "@SUM(1)", "\tx", "\rx"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert plain_cell(text) == f"'{text}"
    assert plain_cell("Pan = bueno") == "Pan = bueno"


def test_csv_for_a_shop_that_writes_decimals_after_a_comma() -> None:
    make.load_menu(make.menu(locale="es-ES", currency="EUR", minor_digits=2))
    Product.objects.filter(key="bollo").update(name='=HYPERLINK("https://evil.example")', price="4.30")
    make.order(make.context(), ("bollo", 1), branch="sur")
    text = to_csv(report(MONDAY, SUNDAY, By.PRODUCT), catalogue.current().shop)
    assert text.startswith("\ufeffProduct;Orders;Units;Money;")
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff")), delimiter=";"))
    assert rows[1] == ['\'=HYPERLINK("https://evil.example")', "1", "1", "4,30", "0", "0,00"]


def test_csv_for_a_shop_that_writes_decimals_after_a_point(tmp_path: Path) -> None:
    make.load_menu(make.menu(locale="en-US", currency="USD", minor_digits=2))
    make.order(make.context(), ("bollo", 2), branch="sur")
    path = tmp_path / "report.csv"
    call_command("report", "--from", "2026-11-24", "--to", "2026-11-24", "--by", "branch", "--csv", str(path))
    lines = path.read_bytes().split(b"\r\n")
    assert lines[0] == b"\xef\xbb\xbfBranch,Orders,Units,Money,Cancelled,Cancelled money"
    assert lines[1] == b"Sur,1,2,2400.00,0,0.00"


def test_the_command_prints_amounts_as_the_shop_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    make.load_menu(make.menu())
    make.order(make.context(), ("bollo", 2), branch="sur")
    call_command("report", "--from", "2026-11-24", "--to", "2026-11-24", "--by", "channel")
    assert "$2.400" in capsys.readouterr().out


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(CommandError, match="--to"):
        call_command("report", "--from", "2026-11-25", "--to", "2026-11-24")
