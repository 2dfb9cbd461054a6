"""Questions about the menu and the shop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from orders.offline import texts
from orders.offline.changes import apply
from orders.offline.facts import Line
from orders.offline.match import best
from orders.offline.menu import MenuItem, Place
from orders.offline.ordering import order
from orders.offline.plan import Plan, Situation, call, say
from orders.offline.priced import amounts
from orders.offline.reading import Turn, read
from orders.offline.segment import Chunk
from orders.offline.similar import forms
from orders.offline.words_both import ALLERGEN_NAMES

_ALLERGENS = re.compile(rf"\b(?:{'|'.join(sorted(ALLERGEN_NAMES))})(?:e?s)?\b", re.IGNORECASE)
_FREE_OF = re.compile(
    rf"(?:\b(?:{'|'.join(sorted(ALLERGEN_NAMES))})[ -]?free|\b(?:es|son)? ?(?:libres? de|sin) \w+)\s*(?=[?.!,;\n]|$)",
    re.IGNORECASE,
)
_CONTAINS = re.compile(
    r"\b(tienen?|llevan?|contienen?|traen?|has|have|contains?|made with|got|es apt[oa]|son apt[oa]s)\b", re.IGNORECASE
)
_OWES = re.compile(r"\b(?:debo|owe)\b")
#: Allergens are told of so many products at most.
MOST_PRODUCTS = 3
#: A category is meant from one word that half the menu's categories do not share.
SURE_CATEGORY = 0.5


def hours(situation: Situation, turn: Turn) -> Plan:
    """Opening hours, at the branch and on the day that were named."""
    day = turn.when.day.isoformat() if turn.when.day is not None else None
    return Plan((call("check_hours", branch=turn.branch.key if turn.branch is not None else None, date=day),))


def menu(situation: Situation, turn: Turn) -> Plan:
    """The menu, or the category that was named."""
    category = _category(situation, turn)
    if category is None and len(named := _named(turn)) == 1 and not turn.chunks[0].number:
        return Plan((call("search_products", query=named[0].label),), then=(texts.whats_next(),))
    return Plan((call("view_menu", category=category.key if category is not None else None),))


def price(situation: Situation, turn: Turn) -> Plan:
    """What something costs, in the search's words; of several of it, what they come to."""
    told = amounts(situation, turn)
    if told is not None:
        return told
    items, words = _named(turn), _words(turn)
    if items:
        return _searched(items[:MOST_PRODUCTS])
    if words:
        return Plan((call("search_products", query=words),))
    return Plan((call("view_menu"),))


def availability(situation: Situation, turn: Turn) -> Plan:
    """Whether there is such a thing."""
    items, words = _named(turn), _words(turn)
    if items:
        return _searched(items[:MOST_PRODUCTS])
    category = _category(situation, turn)
    if category is not None and len(words.split()) < 2:
        return Plan((call("view_menu", category=category.key),))
    if not words:
        return Plan((call("view_menu"),))
    if any(best(chunk.readings) and not chunk.readings[0].left for chunk in turn.chunks):
        return Plan((call("search_products", query=words),))
    return say(texts.not_on_menu(words), texts.instead())


def total(situation: Situation, turn: Turn) -> Plan:
    """What is named comes to, else what the draft does; only then asks whether to place it."""
    facts = situation.facts
    if _OWES.search(turn.folded):
        return requoted(facts.draft) if facts.draft else Plan((call("my_orders"),))
    told = amounts(situation, turn)
    if told is not None:
        return told
    if any(_is_whole(chunk) for chunk in turn.chunks):
        return price(situation, turn)
    outcome = apply(turn, situation.menu, facts.draft)
    if not outcome.lines and not outcome.wishes:
        return price(situation, turn)
    return order(situation, turn, outcome, place=False)


def allergens(situation: Situation, turn: Turn) -> Plan:
    """What is declared; never that something is safe."""
    menu = situation.menu
    subject = _subject(turn.text)
    items = _named(read(subject, menu, situation.today))
    if not items and any(_is_whole(chunk) for chunk in turn.chunks):
        # "do you have almond croissants?": the allergen is part of a name.
        return availability(situation, turn)
    if not items:
        items = [menu.by_key[line.product] for line in situation.facts.draft if line.product in menu.by_key]
    if not items:
        return say(texts.allergens_which())
    return say(*(_declared(item) for item in items[:MOST_PRODUCTS]), texts.allergens_caution())


def _is_whole(chunk: Chunk) -> bool:
    named = best(chunk.readings)
    return len(named) == 1 and named[0].whole and not named[0].left


def _subject(text: str) -> str:
    """The question without the allergen asked for: "¿el pastel de zanahoria lleva …?"."""
    text = _FREE_OF.sub(" ", text)
    before, verb, after = _CONTAINS.split(text, maxsplit=1) if _CONTAINS.search(text) else (text, "", "")
    if verb and len(before.split()) > 1:
        return before
    return _ALLERGENS.sub(" ", f"{before} {after}") if verb else text


def again(situation: Situation) -> Plan:
    """The same as last time: the newest open order, else what my_orders knows."""
    if situation.facts.orders and situation.facts.orders[0].lines:
        return requoted(situation.facts.orders[0].lines)
    if "my_orders" in situation.tools:
        return Plan((call("my_orders"),), repeat=True)
    return say(texts.nothing_to_repeat())


def requoted(lines: Sequence[Line]) -> Plan:
    """Quote these lines and offer to place them."""
    return Plan((call("quote_order", items=[line.as_item() for line in lines]),), offer=True)


def _searched(items: Sequence[MenuItem]) -> Plan:
    return Plan(tuple(call("search_products", query=item.label) for item in items))


def _named(turn: Turn) -> list[MenuItem]:
    """The products the turn surely names, in order."""
    found: list[MenuItem] = []
    for chunk in turn.chunks:
        named = best(chunk.readings)
        if len(named) == 1 and named[0].score > 0:
            found.append(named[0].item)
    return list(dict.fromkeys(found))


def _words(turn: Turn) -> str:
    """What was asked for in the customer's own words."""
    said = [token.said for chunk in turn.chunks for token in chunk.hard]
    return " ".join(said)[:120]


def _category(situation: Situation, turn: Turn) -> Place | None:
    """The category whose words were said; a word of fewer categories tells more."""
    lexicon = situation.menu.lexicon
    said = {form for token in _all_tokens(turn.chunks) for like in lexicon.similar(token) for form in forms(like)}
    categories = situation.menu.categories
    known = {place: {word for name in place.names for word in name} for place in categories}
    spread = Counter(word for words in known.values() for word in words)
    scores = {place: sum(1 / spread[word] for word in words if said & forms(word)) for place, words in known.items()}
    first = max(categories, key=lambda place: scores[place], default=None)
    return first if first is not None and scores[first] >= SURE_CATEGORY else None


def _all_tokens(chunks: Sequence[Chunk]) -> list[str]:
    return [token.text for chunk in chunks for token in chunk.tokens]


def _declared(item: MenuItem) -> str:
    declared = item.data.get("allergens")
    if declared is None:
        return texts.allergens_undeclared(item.label)
    if not declared:
        return texts.no_allergens(item.label)
    return texts.allergens(item.label, [texts.allergen(str(one)) for one in declared])
