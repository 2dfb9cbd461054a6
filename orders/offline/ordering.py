"""Turns that order: what to quote, what to place, what to ask."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from aitools.types import Json, ToolRequest
from orders.offline import located, texts
from orders.offline.changes import Outcome, apply
from orders.offline.facts import Facts, Line
from orders.offline.match import best
from orders.offline.menu import Menu, MenuItem, Place
from orders.offline.moments import When, find_when
from orders.offline.normalise import tokenise
from orders.offline.plan import Plan, Situation, call, say
from orders.offline.quantities import with_numbers
from orders.offline.reading import Turn, read
from orders.offline.wishes import Open, Wish, settled
from orders.offline.work import Doubt, wish_of

#: What quote_order asks about by itself, with prices.
_ASKED_BY_QUOTE = frozenset({Open.WHICH_SIZE, Open.WHICH_OPTION, Open.NOTE_LONG, Open.BELOW_MIN, Open.ABOVE_MAX})
#: Time of day that stands for "that day" when only a lead time is checked.
EVENING = time(18)
MOST_CHOICES = 8


def understand(situation: Situation, text: str | None = None) -> tuple[Turn, Outcome]:
    """The turn's text read and applied to the draft."""
    facts = situation.facts
    turn = _read(situation, situation.talk.text if text is None else text)
    of_placed = turn.sets and bool(facts.orders)
    if _only_counts(turn) and not of_placed and not facts.draft and (item := _talked_about(situation)) is not None:
        turn = _read(situation, f"{turn.chunks[0].number.text} {item.label}")  # type: ignore[union-attr]
    turn = replace(turn, when=_with_day(situation, turn.when))
    done, unfinished = split_draft(facts.draft, situation.menu)
    asked = tuple(_asked_before(situation))
    outcome = apply(turn, situation.menu, done, (*unfinished, *asked))
    return turn, replace(outcome, wishes=_still_open(outcome, tuple(done), asked))


def _still_open(outcome: Outcome, lines: tuple[Line, ...], asked: tuple[Wish, ...]) -> tuple[Wish, ...]:
    """The open wishes without those asked about before, when the customer went on to something else."""
    if not asked or any(wish not in outcome.wishes for wish in asked):
        return outcome.wishes
    others = tuple(wish for wish in outcome.wishes if wish not in asked)
    return others if others or outcome.lines != lines else outcome.wishes


def _with_day(situation: Situation, when: When) -> When:
    """A time alone is meant for the day said before: when we asked for it, or the one agreed."""
    if when.at is None or when.day is not None:
        return when
    facts = situation.facts
    asked = any(said in situation.talk.last_answer for said in texts.in_all_languages(texts.ASK_TIME))
    if asked:
        return when.over(_read(situation, situation.talk.earlier[-1].text).when)
    agreed = datetime.fromisoformat(facts.pickup_at) if facts.pickup_at is not None else None
    return when if agreed is None or agreed <= facts.now else when.instead_of(agreed)


def _only_counts(turn: Turn) -> bool:
    """As in "dame 4": a number and nothing else."""
    chunks = turn.chunks
    return len(chunks) == 1 and chunks[0].number is not None and not chunks[0].hard


def _talked_about(situation: Situation) -> MenuItem | None:
    """The one product the customer's last turn was about."""
    if not situation.talk.earlier:
        return None
    before = read(situation.talk.earlier[-1].text, situation.menu, situation.today)
    named = [best(chunk.readings) for chunk in before.chunks]
    sure = {found[0].item for found in named if len(found) == 1 and found[0].score > 0}
    return sure.pop() if len(sure) == 1 else None


def _read(situation: Situation, text: str) -> Turn:
    items = [
        situation.menu.by_key[line.product] for line in situation.facts.draft if line.product in situation.menu.by_key
    ]
    return read(text, situation.menu, situation.today, items)


def split_draft(draft: Sequence[Line], menu: Menu) -> tuple[list[Line], list[Wish]]:
    """The draft's finished lines, and the wishes that still lack a size or an option."""
    done: list[Line] = []
    unfinished: list[Wish] = []
    for line in draft:
        wish = wish_of(line, menu)
        lacking = settled(wish) if wish is not None else None
        if lacking is not None and any(issue.why in (Open.WHICH_SIZE, Open.WHICH_OPTION) for issue in lacking.issues):
            unfinished.append(lacking)
        else:
            done.append(line)
    return done, unfinished


def _asked_before(situation: Situation) -> list[Wish]:
    """What our last questions were about that no draft keeps: read those turns again."""
    asked = []
    for exchange in reversed(situation.talk.earlier):
        if not _is_question(exchange.answer):
            break
        asked.append(exchange.text)
    wishes: tuple[Wish, ...] = ()
    for text in reversed(asked):
        outcome = apply(_read(situation, text), situation.menu, (), wishes)
        wishes = tuple(wish for wish in _still_open(outcome, (), wishes) if not _is_quoted(wish))
    return list(wishes)


def _is_question(answer: str) -> bool:
    return any(sentence in answer for sentence in texts.in_all_languages(texts.ASK_WHICH))


def _is_quoted(wish: Wish) -> bool:
    """Whether quote_order keeps it: its product and its number are clear."""
    return wish.item is not None and wish.quantity is not None and all(i.why in _ASKED_BY_QUOTE for i in wish.issues)


def order(situation: Situation, turn: Turn, outcome: Outcome, *, place: bool = True) -> Plan:
    """Quote what is clear, ask what is not; place it when everything is there."""
    notes = _notes(situation, turn, outcome)
    quoted = [wish for wish in outcome.wishes if _is_quoted(wish)]
    items = [*(line.as_item() for line in outcome.lines), *(_as_item(wish) for wish in quoted)]
    asks = [wish for wish in outcome.wishes if wish not in quoted]
    calls = list(_looked_up(situation, asks))
    if not items:
        if turn.clear or (not asks and not outcome.doubts):
            return _emptied(situation)
        return Plan(tuple(calls), then=tuple(notes)) if calls else say(*notes)
    details = _details(situation, turn, [line.product for line in outcome.lines])
    calls.insert(0, call("quote_order", items=items, **details))
    complete = place and not notes and not quoted and _placeable(situation, details, turn.when)
    if complete:
        calls.append(call("create_order", items=items, **details))
    if turn.when.day is not None and not turn.when.doubtful and turn.when.at is None and "pickup_at" not in details:
        notes.append(texts.ask_time())
    return Plan(tuple(calls), then=tuple(notes), offer=not notes and not complete)


def place_draft(situation: Situation, name: str | None = None) -> Plan:
    """Place what the draft holds, said out loud so that nothing depends on what is stored."""
    facts = situation.facts
    items = [line.as_item() for line in facts.draft]
    known = name or facts.draft_name
    return Plan((call("create_order", items=items, branch=facts.branch, pickup_at=facts.pickup_at, name=known),))


def agreed_time(situation: Situation) -> When:
    """The time our last answer offered ("The earliest is …"), when the customer just says yes."""
    for template in texts.in_all_languages(texts.TOOLS_OFFER_TIME):
        pattern = re.escape(template).replace(re.escape("%(when)s"), "(?P<when>.+)")
        found = re.search(pattern, situation.talk.last_answer)
        if found is not None:
            when, _ = find_when(with_numbers(tokenise(found.group("when"))), situation.today)
            return replace(when, half=0)
    return When()


def _emptied(situation: Situation) -> Plan:
    if not situation.facts.draft:
        return say(texts.ask_wish())
    return emptied()


def emptied() -> Plan:
    """Forget the draft."""
    return Plan((call("quote_order", items=[]),))


def _as_item(wish: Wish) -> dict[str, Json]:
    return Line(
        product=wish.item.key if wish.item is not None else wish.words,
        quantity=wish.quantity or 1,
        variant=wish.size.key if wish.size is not None else None,
        options=tuple(option.code for option in wish.options),
        note=wish.note,
    ).as_item()


def _placeable(situation: Situation, details: dict[str, Json], when: When) -> bool:
    facts = situation.facts
    branch = details.get("branch") or facts.branch or len(facts.branches) <= 1
    timed = when.day is None or "pickup_at" in details
    return bool(branch and (details.get("name") or facts.name) and timed)


def _details(situation: Situation, turn: Turn, products: Sequence[str]) -> dict[str, Json]:
    """Branch, name and time as said in this turn."""
    details: dict[str, Json] = {}
    when = When() if turn.when.doubtful else turn.when
    if (branch := turn.branch or _meant(situation)) is not None:
        details["branch"] = branch.key
    if turn.name is not None:
        details["name"] = turn.name[:60]
    moment = when.moment(situation.facts.now)
    if moment is None and when.day is not None and _too_soon(situation, when.day, products):
        # Which day is clear already: the shop's own words say that it is too soon.
        moment = datetime.combine(when.day, EVENING)
    if moment is None and when.at is None and when.day is not None:
        moment = _kept_time(situation.facts, when.day)
    if moment is not None:
        details["pickup_at"] = f"{moment:%Y-%m-%dT%H:%M}"
    return details


def _meant(situation: Situation) -> Place | None:
    """The branch near them, while it matters and nothing else was said."""
    facts = situation.facts
    return located.meant(situation) if facts.branch is None and len(facts.branches) > 1 else None


def _kept_time(facts: Facts, day: date) -> datetime | None:
    """Another day for the time that was said before."""
    if facts.pickup_at is None:
        return None
    return datetime.combine(day, datetime.fromisoformat(facts.pickup_at).time())


def _too_soon(situation: Situation, day: date, products: Sequence[str]) -> bool:
    leads = [
        int(situation.menu.by_key[key].data.get("lead_minutes") or 0)
        for key in products
        if key in situation.menu.by_key
    ]
    return (situation.facts.now + timedelta(minutes=max(leads, default=0))).date() > day


def _notes(situation: Situation, turn: Turn, outcome: Outcome) -> list[str]:
    """What to say and ask beside the quote, one sentence each."""
    notes = [texts.no_delivery([place.label for place in situation.menu.branches])] if turn.delivery else []
    if turn.when.doubtful:
        notes.append(texts.ask_moment())
    names = [_name(line, situation.menu) for line in outcome.lines]
    for doubt, words in outcome.doubts:
        notes.append(_DOUBTS[doubt](words, names))
    for wish in outcome.wishes:
        if not _is_quoted(wish):
            notes += _question(situation, wish)
    return list(dict.fromkeys(notes))


_DOUBTS: dict[Doubt, Callable[[str, list[str]], str]] = {
    Doubt.WHICH_LINE: lambda words, names: texts.ask_which_line(names),
    Doubt.NOT_IN_DRAFT: lambda words, names: texts.not_in_draft(words),
    Doubt.AS_ON_MENU: lambda words, names: texts.as_on_menu(words),
}


def _name(line: Line, menu: Menu) -> str:
    item = menu.by_key.get(line.product)
    return item.label if item is not None else line.product


def _question(situation: Situation, wish: Wish) -> list[str]:
    issue = next((one for one in wish.issues if one.why not in _ASKED_BY_QUOTE), wish.issues[0])
    if issue.why is Open.WHICH_PRODUCT:
        named = [f"• {item.label}" for item in wish.candidates[:MOST_CHOICES]]
        return [*([] if _searchable(situation, wish) else named), texts.choose()]
    return [texts.open_point(wish, issue)]


def _searchable(situation: Situation, wish: Wish) -> bool:
    return bool(wish.candidates and wish.words and "search_products" in situation.tools)


def _looked_up(situation: Situation, wishes: Sequence[Wish]) -> list[ToolRequest]:
    """Look doubtful words up, so that what can be chosen comes with a tool's prices."""
    doubtful = [wish for wish in wishes if _searchable(situation, wish)]
    return [call("search_products", query=wish.words[:120]) for wish in doubtful[:1]]
