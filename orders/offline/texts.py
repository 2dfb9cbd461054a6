"""What the offline order taker says, in the active language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, override

from aitools import texts
from orders.allergens import title as allergen_title
from orders.offline.wishes import Issue, Open, Wish
from orders.texts import offers

LANGUAGES = ("en", "es")
#: Questions of ours that the next turn may answer, as msgids.
ASK_WHICH = gettext_noop("Which one would you like?")
ASK_TIME = gettext_noop("At what time would you like to pick it up?")
ASK_PLACE = gettext_noop("Shall I place the order?")
ASK_THAT = gettext_noop("Would you like to order that?")
ASK_INSTEAD = gettext_noop("Would you like something else instead?")
ASK_THERE = gettext_noop("Would you like to order at %(branch)s?")
ASK_MORE = gettext_noop("Anything else I can help you with?")
ASK_CHANGE = gettext_noop("All right, I won't do it. What would you like to change?")
ASK_LARGE = gettext_noop(
    "%(count)s of %(product)s is a large order. Is the number right, or shall I pass you to a person?"
)
ASK_PLAIN = gettext_noop("We can't write a text on %(product)s. Would you like it without?")
#: Said by the shop's tools.
TOOLS_ASK_NAME = "What name is the order for?"
TOOLS_ASK_BRANCH = "Which branch: %(choices)s?"
TOOLS_OFFER_TIME = "The earliest is %(when)s. Shall I put it for then?"
TOOLS_ASK_OTHER = "I see no time for that in the coming days. Would you like something else?"
#: Said by the engine when nobody else says it.
ENGINE_DECLINED = "All right, I won't do it. Anything else?"


def greeting(shop: str) -> str:
    return _("Hello! Welcome to %(shop)s. What would you like to order?") % {"shop": shop}


def thanks() -> str:
    return _("You're welcome. Have a good day!")


def whats_next() -> str:
    return _(ASK_MORE)


def not_placed() -> str:
    return _(ASK_CHANGE)


def all_right() -> str:
    """After a no to what we offered: the customer wants nothing more of us."""
    return _("All right. Just write when you need something.")


def both_said() -> str:
    """After a yes and a no at once to a question of ours."""
    return _("I got a yes and a no at once, so I have done nothing.")


def say_once_more() -> str:
    return _("Please tell me once more what you would like me to do.")


def ask_wish() -> str:
    return _("What would you like to order? Tell me the products and how many.")


def unseen(kinds: Collection[str]) -> str:
    """What to do instead of sending such things; "" when none was sent."""
    return texts.unseen(kinds) if kinds else ""


def ask_again() -> str:
    return _("I'm not sure I understood. Could you tell me which products you would like, and how many?")


def off_topic(shop: str) -> str:
    return _("I can only help with orders at %(shop)s: the menu, prices, opening hours and your orders.") % {
        "shop": shop
    }


def refuse() -> str:
    return _("I can't do that. I can take your order or answer about the menu, prices and opening hours.")


def only_yours() -> str:
    return _("I can only see and talk about your own orders.")


def opt_out() -> str:
    return _("To get no more messages from us, reply with the word STOP.")


def no_delivery(branches: Sequence[str]) -> str:
    return _("Here I can take orders to pick up at the shop (%(places)s), not for delivery.") % {
        "places": listed(branches)
    }


def payment(methods: Sequence[str]) -> str:
    return _("You can pay with: %(methods)s.") % {"methods": listed(methods)}


def unknown_fact() -> str:
    return offers.person(_("I don't have that information."))


def ask_time() -> str:
    return _(ASK_TIME)


def ask_moment() -> str:
    return _("I'm not sure when you mean; an order has one pick-up time. On which day and at what time?")


def ask_that() -> str:
    return _(ASK_THAT)


def ask_there(branch: str) -> str:
    return _(ASK_THERE) % {"branch": branch}


def ask_location() -> str:
    return _("If you share your location here, I'll tell you which one is closest.")


def ask_place() -> str:
    return _(ASK_PLACE)


def ask_which_order(numbers: Sequence[str]) -> str:
    return _("Which order do you mean: %(orders)s?") % {"orders": listed(numbers, last=_("or"))}


def ask_change(number: str) -> str:
    return _("What would you like to change in order %(order)s?") % {"order": number}


def ask_which_line(names: Sequence[str]) -> str:
    return _("Which one do you mean: %(products)s?") % {"products": listed(names, last=_("or"))}


def no_orders() -> str:
    return _("I see no open order of yours.")


def not_in_draft(words: str) -> str:
    return _("“%(words)s” is not in your order.") % {"words": words}


def total(amount: str) -> str:
    return _("Total: %(amount)s") % {"amount": amount}


def no_such_order(number: str) -> str:
    return _("I can't find an order %(order)s of yours.") % {"order": number}


def as_on_menu(words: str) -> str:
    return _("I can't order it “without %(words)s”: we make everything as the menu says. Would you like it anyway?") % {
        "words": words
    }


def nothing_to_repeat() -> str:
    return _("I don't have your last order at hand. Which products would you like, and how many?")


def not_on_menu(words: str) -> str:
    return _("We don't have “%(words)s” on the menu.") % {"words": words}


def instead() -> str:
    return _(ASK_INSTEAD)


def choose() -> str:
    return _(ASK_WHICH)


def allergens(product: str, names: Sequence[str]) -> str:
    return _("Declared allergens of %(product)s: %(allergens)s.") % {"product": product, "allergens": listed(names)}


def no_allergens(product: str) -> str:
    return _("%(product)s is declared without allergens.") % {"product": product}


def allergens_undeclared(product: str) -> str:
    return _("The allergens of %(product)s are not declared.") % {"product": product}


def allergen(name: str) -> str:
    """An allergen in the customer's language; unknown ones as they are declared."""
    return allergen_title(name)


def allergens_caution() -> str:
    return _("I can't promise that it is free of traces; if in doubt, please ask the shop's staff.")


def allergens_which() -> str:
    return _("Which product do you want to know the allergens of?")


def refused() -> str:
    return offers.person(_("I could not do that."))


def open_point(wish: Wish, issue: Issue) -> str:
    """What to tell or ask about one open point, without prices."""
    product = wish.item.label if wish.item is not None else ""
    return _OPEN_POINTS[issue.why](product, issue)


def _which_option(product: str, issue: Issue) -> str:
    names = listed([choice.label for choice in issue.choices], last=_("or"))
    title = f"{product} ({issue.options.label.lower()})" if issue.options is not None else product
    return _("%(product)s: which one would you like, %(options)s?") % {"product": title, "options": names}


def _no_such_option(product: str, issue: Issue) -> str:
    return _("I have %(product)s, but I don't know it with “%(words)s”. How would you like it?") % {
        "product": product,
        "words": issue.words,
    }


def _too_many(product: str, issue: Issue) -> str:
    text = ngettext(
        "%(product)s: you can choose %(count)d for %(list)s. Which one would you like?",
        "%(product)s: you can choose up to %(count)d for %(list)s. Which ones would you like?",
        issue.limit,
    )
    title = issue.options.label.lower() if issue.options is not None else ""
    return text % {"product": product, "count": issue.limit, "list": title}


def _option_sold_out(product: str, issue: Issue) -> str:
    return _("%(product)s with %(option)s is sold out. Which one would you like instead?") % {
        "product": product,
        "option": issue.words,
    }


def _quantity(product: str, issue: Issue) -> str:
    return _("How many of %(product)s would you like? I need a whole number from 1 on.") % {"product": product}


def _large(product: str, issue: Issue) -> str:
    return _(ASK_LARGE) % {"count": issue.words, "product": product}


def _below_min(product: str, issue: Issue) -> str:
    return _("We make %(product)s from %(count)d on. How many would you like?") % {
        "product": product,
        "count": issue.limit,
    }


def _above_max(product: str, issue: Issue) -> str:
    return _("We can take at most %(count)d of %(product)s. How many would you like?") % {
        "product": product,
        "count": issue.limit,
    }


def _step(product: str, issue: Issue) -> str:
    return _("%(product)s comes in multiples of %(count)d. How many would you like?") % {
        "product": product,
        "count": issue.limit,
    }


def _pack(product: str, issue: Issue) -> str:
    return _("%(product)s comes in packs of %(count)d. How many packs would you like?") % {
        "product": product,
        "count": issue.limit,
    }


def _amount(product: str, issue: Issue) -> str:
    if issue.limit < 1:
        return _("That is less than one %(product)s costs. How many would you like?") % {"product": product}
    return _("That amount is not an exact number of %(product)s; it would be %(count)d. How many would you like?") % {
        "product": product,
        "count": issue.limit,
    }


def _note_long(product: str, issue: Issue) -> str:
    return _("The text on %(product)s can have at most %(count)d characters. What shall it say?") % {
        "product": product,
        "count": issue.limit,
    }


def _no_note(product: str, issue: Issue) -> str:
    return _(ASK_PLAIN) % {"product": product}


def _not_found(product: str, issue: Issue) -> str:
    return f"{not_on_menu(issue.words)} {instead()}"


def _choose(product: str, issue: Issue) -> str:
    return choose()


_OPEN_POINTS = {
    Open.WHICH_PRODUCT: _choose,
    Open.NOT_FOUND: _not_found,
    Open.WHICH_SIZE: _choose,
    Open.WHICH_OPTION: _which_option,
    Open.NO_SUCH_OPTION: _no_such_option,
    Open.TOO_MANY_OPTIONS: _too_many,
    Open.OPTION_SOLD_OUT: _option_sold_out,
    Open.QUANTITY: _quantity,
    Open.LARGE: _large,
    Open.TOO_MANY: _above_max,
    Open.BELOW_MIN: _below_min,
    Open.ABOVE_MAX: _above_max,
    Open.STEP: _step,
    Open.PACK: _pack,
    Open.AMOUNT: _amount,
    Open.NOTE_LONG: _note_long,
    Open.NO_NOTE: _no_note,
}


def listed(names: Iterable[str], last: str | None = None) -> str:
    """As in "a, b and c"."""
    known = list(names)
    if len(known) < 2:
        return "".join(known)
    return f"{', '.join(known[:-1])} {last or _('and')} {known[-1]}"


def ask_name() -> str:
    return _(TOOLS_ASK_NAME)


def is_said(sentence: str, answer: str) -> bool:
    """Whether an answer of ours has the sentence, whatever stood for its parts."""
    patterns = (re.sub(r"%\\\(\w+\\\)[sd]", ".+", re.escape(said)) for said in in_all_languages(sentence))
    return any(re.search(pattern, answer) for pattern in patterns)


def part_of(sentence: str, part: str, answer: str) -> str | None:
    """What stood for a part of the sentence in an answer of ours; None when it was not said."""
    for said in in_all_languages(sentence):
        pattern = re.sub(r"%\\\((\w+)\\\)[sd]", r"(?P<\1>.+)", re.escape(said))
        if (found := re.search(pattern, answer)) is not None:
            return found[part]
    return None


def in_all_languages(sentence: str) -> tuple[str, ...]:
    """A sentence as we may have said it in an earlier turn."""
    said = []
    for language in LANGUAGES:
        with override(language):
            said.append(_(sentence))
    return tuple(said)
