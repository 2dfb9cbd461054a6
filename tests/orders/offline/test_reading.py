"""A message becomes items, or questions; never something else in silence."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from orders.offline.changes import Outcome, apply
from orders.offline.facts import Line
from orders.offline.menu import Menu
from orders.offline.reading import Turn, read
from orders.offline.wishes import Open
from orders.offline.work import Doubt
from tests.orders.offline import menus

#: A Tuesday.
TODAY = date(2026, 11, 24)
NOW = datetime.fromisoformat("2026-11-24T10:00")


@pytest.fixture(scope="module")
def menu() -> Menu:
    return menus.menu()


def turn_of(text: str, menu: Menu, *draft: Line) -> Turn:
    return read(text, menu, TODAY, [menu.by_key[line.product] for line in draft])


def outcome(text: str, menu: Menu, *draft: Line) -> Outcome:
    return apply(turn_of(text, menu, *draft), menu, draft)


def items(found: Outcome) -> list[tuple[object, ...]]:
    return [
        (line.quantity, line.product, *([line.variant] if line.variant else []), *line.options) for line in found.lines
    ]


def questions(found: Outcome) -> list[Open]:
    return [issue.why for wish in found.wishes for issue in wish.issues]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 bollos y una pupusa de queso", [(3, "bollo"), (1, "queso")]),
        ("4 de frijol con queso y 2 de queso", [(4, "frijol-queso"), (2, "queso")]),
        ("3 empanadas de carne y 2 de pollo", [(3, "empanada-carne"), (2, "empanada-pollo")]),
        ("tres empanadas: dos de carne y una de pollo", [(2, "empanada-carne"), (1, "empanada-pollo")]),
        ("2 sodas uva y una manzana", [(2, "refresco", "sabor:uva"), (1, "refresco", "sabor:manzana")]),
        ("BOLLO 4 QUESO 2", [(4, "bollo"), (2, "queso")]),
        ("two no three bollos", [(3, "bollo")]),
        ("2 rebanadas de tres leches", [(2, "tres-leches")]),
        ("oiga mi reina pongame 2 bollos", [(2, "bollo")]),
        ("una docena de magdalenas", [(2, "magdalenas")]),
        ("docena de rosquillas y media docena de rosquillas", [(1, "rosquilla", "docena"), (1, "rosquilla", "media")]),
        ("3 rosquillas", [(3, "rosquilla", "una")]),
        ("6 de empanadas mitad carne mitad pollo", [(3, "empanada-carne"), (3, "empanada-pollo")]),
        ("una torta para 20 personas rellena de mora y nuez", [(1, "torta", "grande", "relleno:mora", "relleno:nuez")]),
        ("torta de 20 con coco", [(1, "torta", "grande", "relleno:coco")]),
        ("3000 de bollo", [(2, "bollo")]),
    ],
)
def test_what_is_clear_becomes_lines(text: str, wanted: list[tuple[object, ...]], menu: Menu) -> None:
    found = outcome(text, menu)

    assert items(found) == wanted
    assert not found.wishes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3 empanadas", Open.WHICH_PRODUCT),
        ("una cerveza", Open.NOT_FOUND),
        ("2 litros de soda uva", Open.NO_SUCH_OPTION),
        ("una soda", Open.WHICH_OPTION),
        ("una torta de mora", Open.WHICH_SIZE),
        ("una torta chica de mora, nuez y coco", Open.TOO_MANY_OPTIONS),
        ("4 tortas chicas de mora", Open.ABOVE_MAX),
        ("8 magdalenas", Open.PACK),
        ("18 rosquillas", Open.PACK),
        ("0 bollos", Open.QUANTITY),
        ("-2 bollos", Open.QUANTITY),
        ("2.5 bollos", Open.QUANTITY),
        ("300 bollos", Open.LARGE),
        ("2000 de bollo", Open.AMOUNT),
        ("una torta chica de mora que diga Muchas felicidades a todos", Open.NOTE_LONG),
    ],
)
def test_what_is_not_clear_is_asked_and_not_added(text: str, why: Open, menu: Menu) -> None:
    found = outcome(text, menu)

    assert found.lines == ()
    assert why in questions(found)


def test_the_known_is_taken_and_the_unknown_named(menu: Menu) -> None:
    found = outcome("3 bollos y una cerveza", menu)

    assert items(found) == [(3, "bollo")]
    assert [wish.words for wish in found.wishes] == ["cerveza"]


def test_a_text_for_the_cake_is_kept_as_written(menu: Menu) -> None:
    found = outcome("una torta chica de mora que diga ¡Feliz día, para el sábado", menu)

    assert found.lines[0].note == "¡Feliz día"


BOLLOS = Line("bollo", 6)
QUESO = Line("queso", 2)
SODA = Line("refresco", 1, options=("sabor:uva",))


@pytest.mark.parametrize(
    ("text", "draft", "wanted"),
    [
        ("quita los bollos", (BOLLOS, QUESO), [(2, "queso")]),
        ("quitale 2", (BOLLOS,), [(4, "bollo")]),
        ("quita un bollo", (BOLLOS, QUESO), [(5, "bollo"), (2, "queso")]),
        ("mejor que sean 4 las de queso", (BOLLOS, QUESO), [(6, "bollo"), (4, "queso")]),
        ("make it 3 bollos", (BOLLOS, QUESO), [(3, "bollo"), (2, "queso")]),
        ("que sean 3", (Line("bollo", 2), Line("queso", 1)), [(3, "bollo"), (1, "queso")]),
        ("ponme uno más", (BOLLOS,), [(7, "bollo")]),
        ("3 de queso", (BOLLOS, QUESO), [(6, "bollo"), (3, "queso")]),
        ("2 de queso más", (BOLLOS, QUESO), [(6, "bollo"), (4, "queso")]),
        ("cambia los bollos por 2 empanadas de carne", (BOLLOS, QUESO), [(2, "queso"), (2, "empanada-carne")]),
        ("mejor de manzana", (SODA,), [(1, "refresco", "sabor:manzana")]),
        ("borra todo y empecemos de nuevo", (BOLLOS, QUESO), []),
    ],
)
def test_changes_apply_to_the_draft(
    text: str, draft: tuple[Line, ...], wanted: list[tuple[object, ...]], menu: Menu
) -> None:
    found = outcome(text, menu, *draft)

    assert items(found) == wanted
    assert not found.wishes
    assert not found.doubts


def test_removing_what_is_not_there_is_said(menu: Menu) -> None:
    found = outcome("quita el pollo", menu, BOLLOS)

    assert items(found) == [(6, "bollo")]
    assert [doubt for doubt, _words in found.doubts] == [Doubt.NOT_IN_DRAFT]


def test_a_number_alone_asks_which_of_several_lines(menu: Menu) -> None:
    found = outcome("que sean 3", menu, BOLLOS, QUESO)

    assert [doubt for doubt, _words in found.doubts] == [Doubt.WHICH_LINE]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2 bollos a las 4", "2026-11-24T16:00"),
        ("2 bollos a las cuatro y media", "2026-11-24T16:30"),
        ("2 bollos para las 13h", "2026-11-24T13:00"),
        ("2 bollos tomorrow 8am", "2026-11-25T08:00"),
        ("2 bollos mañana a las 9 de la mañana", "2026-11-25T09:00"),
        ("2 bollos para el sabado a las 5 de la tarde", "2026-11-28T17:00"),
        ("2 bollos para el 6 de enero al mediodia", "2027-01-06T12:00"),
        ("2 bollos dec 12 at 3pm", "2026-12-12T15:00"),
        ("2 BOLLO NORTE 1230", "2026-11-24T12:30"),
    ],
)
def test_the_pick_up_time_is_no_part_of_the_items(text: str, moment: str, menu: Menu) -> None:
    turn = turn_of(text, menu)

    assert turn.when.moment(NOW) == datetime.fromisoformat(moment)
    assert items(apply(turn, menu, ())) == [(2, "bollo")]


@pytest.mark.parametrize("text", ["2 bollos en la del norte", "2 bollos, norte", "recojo en norte 2 bollos"])
def test_the_branch_is_no_part_of_the_items(text: str, menu: Menu) -> None:
    turn = turn_of(text, menu)

    assert turn.branch is not None
    assert turn.branch.key == "norte"
    assert items(apply(turn, menu, ())) == [(2, "bollo")]


@pytest.mark.parametrize(
    "text", ["", "   ", "\x00", "🎂🎂", "?" * 3000, "y " * 2000, "9" * 400, "1/0 1:99", "“", "\ud800"]
)
def test_any_text_is_read_without_harm(text: str, menu: Menu) -> None:
    assert outcome(text, menu).lines == ()


@pytest.mark.parametrize(
    "text",
    [
        "10^9 bollos",
        "menos dos bollos",
        "18 bollos menos 3",
        "dos bollos y medio",
        "2 3 bollos",
        "docena y media de bollos menos 3",
    ],
)
def test_arithmetic_is_asked_about(text: str, menu: Menu) -> None:
    found = outcome(text, menu)

    assert items(found) == []
    assert questions(found) == [Open.QUANTITY]


@pytest.mark.parametrize("text", ["por lo menos 3 bollos", "al menos 3 bollos", "3 bollos más o menos"])
def test_at_least_is_a_number_like_another(text: str, menu: Menu) -> None:
    assert items(outcome(text, menu)) == [(3, "bollo")]


def test_more_than_an_order_takes_is_refused_and_not_only_asked_about(menu: Menu) -> None:
    assert questions(outcome("501 bollos", menu)) == [Open.TOO_MANY]
    assert questions(outcome("500 bollos", menu)) == [Open.LARGE]


def test_to_leave_a_count_sets_it(menu: Menu) -> None:
    assert items(outcome("deja 2 bollos", menu, BOLLOS)) == [(2, "bollo")]


def test_an_unknown_noun_before_a_count_is_no_talk(menu: Menu) -> None:
    found = outcome("quiero tamales 3 bollos", menu)

    assert items(found) == [(3, "bollo")]
    assert [(wish.words, wish.issues[0].why) for wish in found.wishes] == [("tamales", Open.NOT_FOUND)]


def test_what_is_not_found_keeps_the_customers_spelling(menu: Menu) -> None:
    assert outcome("3 piñas Dragón", menu).wishes[0].words == "piñas Dragón"
