"""What customers come for. Each scene is a generator that talks with the desk.

It yields the texts that the customer writes at once (none: just waits) and gets
what the desk said since.  Customers read questions before they agree: a yes goes
only to exactly what they want, and is marked as such.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from bench.chaos import reading
from bench.chaos.journal import Heard
from bench.chaos.reading import CANCEL, CHANGE, PLACE, Deed, Question
from bench.chaos.wares import Basket, Wares

YES = ("sí", "Sí", "si", "ok", "dale", "claro", "sí por favor", "confirmo", "👍", "listo")
NO = ("no", "No", "mejor no", "no gracias")
#: How often a customer says the same again before leaving.
PATIENCE = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A text to write; with ``agrees_to``, the plain yes to that question."""

    text: str
    agrees_to: str = ""


Talk = Generator[Sequence[Line], Sequence[Heard], str]


@dataclass
class Customer:
    """Who plays a scene. ``name`` is told by those whose channel does not know it."""

    wares: Wares
    dice: random.Random
    name: str = ""
    numbers: list[str] = field(default_factory=list)

    def basket(self, most: int = 3) -> dict[str, int]:
        return self.wares.some(self.dice, self.dice.randint(1, most))

    def wish(self, basket: Basket) -> str:
        tail = f" a nombre de {self.name}" if self.name else ""
        return f"Quiero {self.wares.in_words(basket)}{tail}"

    def yes(self, asked: Heard) -> Line:
        return Line(self.dice.choice(YES), asked.key)

    def no(self) -> Line:
        return Line(self.dice.choice(NO))


def newest(heard: Sequence[Heard]) -> Question | Deed | str:
    """What the last message that says something says; an expiry or other words as text."""
    text = heard[-1].text
    return reading.question(text) or reading.deed(text) or text


Answer = Callable[[Heard], Sequence[Line]]


def persuade(
    me: Customer, kind: str, ask: str, basket: Basket, opening: Sequence[str] = (), answer: Answer | None = None
) -> Talk:
    """Ask until the desk tells that it did exactly this; ``answer`` says yes in some other way, the first time.

    Returns the order's number, "" when the customer has had enough.
    """
    heard = yield [Line(text) for text in opening or (ask,)]
    for _ in range(PATIENCE):
        said = newest(heard)
        if isinstance(said, Deed) and said.kind == kind:
            me.numbers.append(said.number)
            return said.number
        if isinstance(said, Question) and _is_wanted(me.wares, said, kind, basket, ask):
            lines, answer = (answer(heard[-1]) if answer else [me.yes(heard[-1])]), None
            heard = yield lines
        elif isinstance(said, Question):
            heard = yield [me.no()]
        elif isinstance(said, str) and said.startswith(reading.EXPIRED):
            heard = yield [Line("sí")]
        else:
            heard = yield [Line(ask)]
    return ""


def _is_wanted(wares: Wares, asked: Question, kind: str, basket: Basket, ask: str) -> bool:
    """The customer reads number, lines and total, and knows the prices on the wall."""
    if asked.kind != kind or (asked.number and asked.number not in ask):
        return False
    return dict(asked.basket) == dict(basket) and asked.total == wares.total(basket)


def simple(me: Customer) -> Talk:
    basket = me.basket()
    return (yield from persuade(me, PLACE, me.wish(basket), basket))


def looks_first(me: Customer) -> Talk:
    yield [Line("¿Qué tienen hoy?")]
    return (yield from simple(me))


def changes(me: Customer) -> Talk:
    number = yield from simple(me)
    basket = me.basket()
    ask = f"Cambia el pedido {number} a {me.wares.in_words(basket)}"
    return number and (yield from persuade(me, CHANGE, ask, basket))


def cancels(me: Customer) -> Talk:
    basket = me.basket()
    number = yield from persuade(me, PLACE, me.wish(basket), basket)
    return number and (yield from persuade(me, CANCEL, f"Cancela el pedido {number}", basket))


def changes_and_cancels(me: Customer) -> Talk:
    number = yield from simple(me)
    basket = me.basket()
    ask = f"Cambia el pedido {number} a {me.wares.in_words(basket)}"
    changed = number and (yield from persuade(me, CHANGE, ask, basket))
    return changed and (yield from persuade(me, CANCEL, f"Cancela el pedido {number}", basket))


def orders_twice(me: Customer) -> Talk:
    """The same again: the question begins with a heads-up."""
    basket = me.basket()
    first = yield from persuade(me, PLACE, me.wish(basket), basket)
    return first and (yield from persuade(me, PLACE, me.wish(basket), basket))


def declines(me: Customer) -> Talk:
    yield from _to_the_question(me, me.basket())
    yield [me.no()]
    return "declined"


def declines_and_orders_other(me: Customer) -> Talk:
    yield from _to_the_question(me, me.basket())
    yield [me.no()]
    return (yield from simple(me))


def leaves(me: Customer) -> Talk:
    """Never answers."""
    yield from _to_the_question(me, me.basket())
    return "left"


def answers_late(me: Customer) -> Talk:
    """Waits for the word that time ran out, and says yes to that."""
    basket = me.basket()
    return (yield from persuade(me, PLACE, me.wish(basket), basket, answer=lambda asked: []))


def says_yes_twice(me: Customer) -> Talk:
    basket = me.basket()
    twice: Answer = lambda asked: [me.yes(asked), me.yes(asked)]  # noqa: E731
    return (yield from persuade(me, PLACE, me.wish(basket), basket, answer=twice))


def yes_but(me: Customer) -> Talk:
    """ "Sí, pero que sean 5": nothing may run but what the next question asks."""
    (name,) = me.basket(1)
    wanted = {name: 7 + me.dice.randint(1, 5)}
    yield from _to_the_question(me, {name: me.dice.randint(1, 6)})
    ask, but = me.wish(wanted), f"sí, pero que sean {wanted[name]}"
    return (yield from persuade(me, PLACE, ask, wanted, [but]))


def in_bursts(me: Customer) -> Talk:
    basket = me.basket(3)
    first, *others = [{name: quantity} for name, quantity in basket.items()]
    opening = ["Hola", me.wish(first), *(f"y {me.wares.in_words(other)}" for other in others)]
    return (yield from persuade(me, PLACE, me.wish(basket), basket, opening))


def resets(me: Customer) -> Talk:
    yield from _to_the_question(me, me.basket())
    yield [Line("/reset")]
    return "reset"


def _to_the_question(me: Customer, basket: Basket) -> Generator[Sequence[Line], Sequence[Heard], None]:
    """Until this is asked, or the desk seems unable."""
    heard = yield [Line(me.wish(basket))]
    for _ in range(PATIENCE):
        if isinstance(newest(heard), Question):
            return
        heard = yield [Line(me.wish(basket))]


#: Each with its share of the crowd.
SCENES: Mapping[Callable[[Customer], Talk], int] = {
    simple: 24,
    looks_first: 6,
    changes: 12,
    cancels: 8,
    changes_and_cancels: 5,
    orders_twice: 4,
    declines: 7,
    declines_and_orders_other: 5,
    leaves: 4,
    answers_late: 3,
    says_yes_twice: 8,
    yes_but: 6,
    in_bursts: 6,
    resets: 2,
}


def scene_of(dice: random.Random) -> Callable[[Customer], Talk]:
    return dice.choices(list(SCENES), list(SCENES.values()))[0]
