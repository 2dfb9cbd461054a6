"""Numbers in words, dozens, fractions and amounts of money.

"dos docenas y media" becomes one number token of value 30 that remembers it
was said in dozens; "3 mil de pan" and "$3 de pan" become money.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

from orders.offline import vocabulary as words
from orders.offline.normalise import Kind, Token

HALF = Decimal("0.5")
QUARTER = Decimal("0.25")
DOZEN = Decimal(12)
THOUSAND = Decimal(1000)
#: No number that means something has more digits.
LONGEST = 15
#: Stands for a number that is none ("10^9").
NO_NUMBER = Decimal(-1)
#: The text of the half in "libra y media", which is no number of its own.
ONE_MORE_HALF = "y½"
_NOT_LESS = frozenset({"lo", "al", "o", "las", "la"})
_GROUPED = re.compile(r"\d{1,3}([.,]\d{3})+")
_FRACTIONS = {"½": HALF, "¼": QUARTER, "¾": Decimal("0.75")}
_NAMED_FRACTION = {"1/2": HALF, "1/4": QUARTER, "3/4": Decimal("0.75")}

Step = Callable[[list[Token]], list[Token]]


def with_numbers(tokens: Sequence[Token]) -> list[Token]:
    """The same tokens with all numbers found and joined."""
    found = _less(_powers(_negatives([_single(token) for token in tokens])))
    joins = (_joined(_thousand), _joined(_fraction), _joined(_dozen), _joined(_pair))
    for step in (_times_signs, _sums, *joins, _inches, _money):
        found = step(found)
    return found


def number(token: Token, value: Decimal, last: Token | None = None, **more: object) -> Token:
    """``token`` up to ``last`` as one number."""
    end = (last or token).end
    text = f"{value.normalize():f}"
    made = Token(text, token.start, end, Kind.NUMBER, value, raw=token.raw)
    return replace(made, **more) if more else made  # type: ignore[arg-type]


def _single(token: Token) -> Token:
    text = token.text
    if token.kind is not Kind.WORD:
        return token
    if text in words.ARTICLES:
        return number(token, Decimal(1), weak=True)
    if text in words.OTHERS:
        return number(token, Decimal(1))
    if text in words.NUMBERS:
        return number(token, Decimal(words.NUMBERS[text]))
    if text in _FRACTIONS or text in _NAMED_FRACTION:
        return number(token, _FRACTIONS.get(text) or _NAMED_FRACTION[text])
    if text[0].isdigit() and "/" not in text:
        return number(token, _digits(text))
    return token


def _negatives(tokens: list[Token]) -> list[Token]:
    """As in "-2" is less than nothing, unless several lines begin so: then it is a list."""
    minus = [
        at
        for at, token in enumerate(tokens)
        if token.text in "-–−"
        and at + 1 < len(tokens)
        and tokens[at + 1].is_number
        and tokens[at + 1].start == token.end
    ]
    if len(minus) != 1 or (minus[0] and tokens[minus[0] - 1].end == tokens[minus[0]].start):
        return tokens
    at = minus[0]
    value = -(tokens[at + 1].value or Decimal(0))
    return [*tokens[:at], number(tokens[at], value, tokens[at + 1]), *tokens[at + 2 :]]


def _powers(tokens: list[Token]) -> list[Token]:
    """As in "10^9": arithmetic is no quantity, so it counts as none at all."""
    found: list[Token] = []
    for token in tokens:
        if token.is_number and len(found) > 1 and found[-1].text == "^" and found[-2].is_number:
            found.pop()
            found.append(number(found.pop(), NO_NUMBER, token))
        else:
            found.append(token)
    return found


def _less(tokens: list[Token]) -> list[Token]:
    """As in "menos dos": less than nothing. "Por lo menos dos" and "las tres menos diez" are not."""
    found: list[Token] = []
    for token in tokens:
        minus = token.is_number and not token.weak and bool(found) and found[-1].text == "menos"
        if minus and token.value is not None and not {each.text for each in found[-4:-1]} & _NOT_LESS:
            found.append(number(found.pop(), -token.value, token))
        else:
            found.append(token)
    return found


def _digits(text: str) -> Decimal:
    text = text[:LONGEST]
    if _GROUPED.fullmatch(text):
        return Decimal(re.sub(r"[.,]", "", text))
    whole, *rest = re.split(r"[.,]", text)
    return Decimal(f"{whole}.{''.join(rest)}") if rest else Decimal(whole)


def _times_signs(tokens: list[Token]) -> list[Token]:
    """Drop the x of "x2", "2x" and "2 x croissant"."""
    kept: list[Token] = []
    for at, token in enumerate(tokens):
        near = [tokens[other] for other in (at - 1, at + 1) if 0 <= other < len(tokens)]
        if token.text in ("x", "×") and any(other.is_number for other in near):
            continue
        kept.append(token)
    return kept


def _sums(tokens: list[Token]) -> list[Token]:
    """As in "treinta y dos", "ciento veinte", "twenty five", "two hundred"."""
    found: list[Token] = []
    for token in tokens:
        joined = _sum(found, token)
        if joined is None:
            found.append(token)
        else:
            found = joined
    return found


def _sum(before: list[Token], token: Token) -> list[Token] | None:
    if token.text in words.HUNDRED and before and before[-1].is_number:
        last = before[-1]
        return [*before[:-1], number(last, (last.value or Decimal(1)) * 100, token)]
    if not token.is_number or token.value is None or not before or _from_digits(token):
        return None
    skip = 1 if before[-1].text in words.AND and len(before) > 1 else 0
    last = before[-1 - skip]
    if not last.is_number or last.value is None or last.weak or _from_digits(last):
        return None
    tens = last.value % 100 == 0 and last.value >= 100 and token.value < 100 and not token.weak
    units = last.value % 10 == 0 and last.value % 100 >= 20 and 0 < token.value < 10
    if (tens and not skip) or (units and not (token.weak and not skip)):
        return [*before[: -1 - skip], number(last, last.value + token.value, token)]
    return None


def _from_digits(token: Token) -> bool:
    """Digits say their own value: "20 2" is no 22. Number words are longer than it."""
    return token.end - token.start == len(token.text)


def _joined(join: Callable[[list[Token], Token], Token]) -> Step:
    """A step that makes each token anew, and may take back the ones before it."""

    def step(tokens: list[Token]) -> list[Token]:
        found: list[Token] = []
        for token in tokens:
            made = join(found, token)
            found.append(made)
        return found

    return step


def _thousand(before: list[Token], token: Token) -> Token:
    if token.text not in words.THOUSAND or token.kind is not Kind.WORD:
        return token
    if before and before[-1].is_number and before[-1].value is not None:
        last = before.pop()
        return number(last, (last.value or Decimal(1)) * THOUSAND, token)
    return number(token, THOUSAND)


def _fraction(before: list[Token], token: Token) -> Token:
    """As in "medio", "un cuarto", "tres cuartos"; "libra y media" is one more half."""
    if token.text in words.HALVES:
        _drop_articles(before)
        if before and before[-1].text in words.AND:
            return replace(number(before.pop(), HALF, token), text=ONE_MORE_HALF)
        return number(token, HALF)
    if token.text in words.QUARTERS:
        last = before.pop() if before and before[-1].is_number else None
        times = last.value if last is not None and last.value is not None else Decimal(1)
        return number(last or token, times * QUARTER, token)
    return token


def _dozen(before: list[Token], token: Token) -> Token:
    """As in "docena", "media docena", "3 dozen", "docena y media"."""
    if token.text in words.DOZENS:
        _drop_articles(before)
        last = before.pop() if before and before[-1].is_number and before[-1].dozens is None else None
        count = last.value if last is not None and last.value is not None else Decimal(1)
        return number(last or token, count * DOZEN, token, dozens=count)
    if token.text == ONE_MORE_HALF and before and before[-1].dozens is not None:
        last = before.pop()
        count = (last.dozens or Decimal(1)) + HALF
        return number(last, count * DOZEN, token, dozens=count)
    return token


def _pair(before: list[Token], token: Token) -> Token:
    if token.text not in words.PAIRS:
        return token
    last = before.pop() if before and before[-1].weak else token
    return number(last, Decimal(2), token)


def _drop_articles(before: list[Token]) -> None:
    while before and before[-1].weak:
        before.pop()


def _inches(tokens: list[Token]) -> list[Token]:
    """The sign of 6" is a word of its own."""
    return [
        replace(token, text="inch", kind=Kind.WORD) if token.text == '"' and at and tokens[at - 1].is_number else token
        for at, token in enumerate(tokens)
    ]


def _money(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        taken, token = _amount(tokens, at)
        found.append(token)
        at += taken
    return found


def _amount(tokens: Sequence[Token], at: int) -> tuple[int, Token]:
    token = tokens[at]
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.text in ("$", "€") and after is not None and after.value is not None:
        return 2, _as_money(token, after, after.value)
    if not token.is_number or token.value is None or after is None:
        return 1, token
    if after.text == "€":
        return 2, _as_money(token, after, token.value)
    if after.text in words.MONEY:
        return 2, _as_money(token, after, token.value * words.MONEY[after.text])
    if token.value >= THOUSAND and after.text in ("de", "en"):
        return 1, _as_money(token, token, token.value)
    return 1, token


def _as_money(first: Token, last: Token, value: Decimal) -> Token:
    return Token(str(value), first.start, last.end, Kind.MONEY, value)
