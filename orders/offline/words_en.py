"""English words the offline order taker knows. Folded: no accents, lower case."""

from __future__ import annotations

from typing import Final

from orders.offline.tables import word_set, word_values

NUMBERS: Final = word_values(
    """
    zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12
    thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20
    thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90
    """
)

ARTICLES: Final = word_set("a an")

OTHERS: Final = word_set("another")

HALVES: Final = word_set("half")

QUARTERS: Final = word_set("quarter quarters")

THOUSAND: Final = word_set("thousand")

HUNDRED: Final = word_set("hundred")

DOZENS: Final = word_set("doz dozen dozens")

PAIRS: Final = word_set("couple pair")

AND: Final = word_set("and n")

SIZE_LEADS: Final = word_set("for number of size")

#: Units of money and how much one is.
MONEY: Final = word_values(
    """
    dollar 1 dollars 1 buck 1 bucks 1 usd 1
    """
)

#: Glue inside names ("frijol con queso"): never decides anything.
STOP: Final = word_set("and at from in of on or the to w with")

#: Words around an order. They may go unexplained, and never count as a product.
FILLER: Final = word_set(
    """
    about actually add afternoon all also any are around asap assorted bag bags be box boxes but by
    can cost costs could cup cups did do does each er evening everyone excuse few flavor flavors for
    fresh get gimme give go good grab have hello hey hi how i id ill im instead is it ive just kids
    kind left lemme let like love make many may maybe me mix mixed more morning much my need nice
    nothing now of office ok okay ones only order ordering our out party pick picking pickup piece
    pieces place please pls plus plz price prices put rather ready sell shop so some something sorry
    still store sure take team thank thanks that them then there these this those today togo too
    total type u uh uhh um umm up us wanna want warm we well what when will would yeah yes you your
    """
)

#: After these a customer explains; the words up to the next pause are talk.
ASIDES: Final = word_set("because for if since when")

#: Real words that are no misspelling of a product's name.
OTHER_WORDS: Final = word_set(
    """
    bear beer burger card cash change money nut pizza price soup where which who wine
    """
)

WEEKDAYS: Final = word_values(
    """
    monday 0 tuesday 1 wednesday 2 thursday 3 friday 4 saturday 5 sunday 6 mon 0 tue 1 tues 1 wed 2
    thu 3 thurs 3 fri 4 sat 5 sundays 6 saturdays 5 mondays 0
    """
)

MONTHS: Final = word_values(
    """
    january 1 february 2 march 3 april 4 june 6 july 7 august 8 september 9 october 10 november 11
    december 12 jan 1 feb 2 sept 9 oct 10 nov 11 dec 12
    """
)

DAYS_AHEAD: Final = word_values(
    """
    today 0 tonight 0 tomorrow 1 tmrw 1 tmr 1 tomorow 1
    """
)

#: A clause starts at one of these; its effect on the draft follows.
ADDS: Final = word_set("add also include plus throw")

#: What follows is not wanted.
WITHOUT: Final = word_set("without")

REMOVES: Final = word_set("delete drop lose minus remove")

SETS: Final = word_set("actually change instead make rather switch")
