"""Why something can't be picked up then, each as one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from django.utils.translation import gettext as _

from orders.availability import Hindrance, Refusal
from orders.catalogue import Branch, ShopTerms
from orders.texts import times


def sentence(refusal: Refusal, branch: Branch, terms: ShopTerms) -> str:
    """What to tell the customer about one hindrance."""
    return _SENTENCES[refusal.why](refusal, branch, terms)


def way_on(earliest: datetime | None, now: datetime) -> str:
    """The first time that would do, as a question; what to do when there is none."""
    if earliest is None:
        return _("I see no time for that in the coming days. Would you like something else?")
    return _("The earliest is %(when)s. Shall I put it for then?") % {"when": times.moment(earliest, now)}


def few_left(product_name: str, left: int) -> str:
    if not left:
        return _("%(product)s is sold out for that day.") % {"product": product_name}
    return _("There are only %(count)d of %(product)s left for that day.") % {"count": left, "product": product_name}


def _closed(_refusal: Refusal, branch: Branch, _terms: ShopTerms) -> str:
    return _("%(branch)s is closed at that time.") % {"branch": branch.name}


def _paused(_refusal: Refusal, branch: Branch, _terms: ShopTerms) -> str:
    return _("%(branch)s is taking no orders for that time.") % {"branch": branch.name}


def _too_soon(refusal: Refusal, _branch: Branch, _terms: ShopTerms) -> str:
    time = times.duration(refusal.lead)
    if refusal.product is None:
        return _("We need %(time)s to get your order ready.") % {"time": time}
    return _("%(product)s is made to order: it needs %(time)s.") % {"product": refusal.product.name, "time": time}


def _too_far(_refusal: Refusal, _branch: Branch, terms: ShopTerms) -> str:
    return _("We take orders for the next %(count)d days.") % {"count": terms.max_days_ahead}


def _past(_refusal: Refusal, _branch: Branch, _terms: ShopTerms) -> str:
    return _("That time is already past.")


def _sold_out(refusal: Refusal, _branch: Branch, _terms: ShopTerms) -> str:
    return few_left(_name(refusal), 0)


def _not_then(refusal: Refusal, _branch: Branch, _terms: ShopTerms) -> str:
    return _("%(product)s is not available at that time.") % {"product": _name(refusal)}


def _name(refusal: Refusal) -> str:
    return refusal.product.name if refusal.product is not None else ""


_SENTENCES: Mapping[Hindrance, Callable[[Refusal, Branch, ShopTerms], str]] = {
    Hindrance.CLOSED: _closed,
    Hindrance.PAUSED: _paused,
    Hindrance.TOO_SOON: _too_soon,
    Hindrance.TOO_FAR: _too_far,
    Hindrance.PAST: _past,
    Hindrance.SOLD_OUT: _sold_out,
    Hindrance.NOT_THEN: _not_then,
}
