"""Why a wish can't be ordered as it stands, each as one sentence with a way on."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext as _

from orders.catalogue import ShopTerms
from orders.items import Fault, Lack
from orders.texts import lines

Sentence = Callable[[Fault, ShopTerms], str]


def sentence(fault: Fault, terms: ShopTerms) -> str:
    """What to tell or ask the customer about one fault."""
    return _SENTENCES[fault.lack](fault, terms)


def _not_found(fault: Fault, terms: ShopTerms) -> str:
    if not fault.products:
        return _("I did not find “%(words)s” on our menu.") % {"words": fault.wish.product}
    return _("I did not find “%(words)s” on our menu. The nearest: %(choices)s.") % {
        "words": fault.wish.product,
        "choices": lines.product_choices(fault.products, terms),
    }


def _which_product(fault: Fault, terms: ShopTerms) -> str:
    return _("Which “%(words)s” would you like: %(choices)s?") % {
        "words": fault.wish.product,
        "choices": lines.product_choices(fault.products, terms),
    }


def _which_variant(fault: Fault, terms: ShopTerms) -> str:
    return _("Which %(product)s would you like: %(choices)s?") % {
        "product": _name(fault),
        "choices": lines.variant_choices(fault.variants, terms),
    }


def _no_variant(fault: Fault, terms: ShopTerms) -> str:
    if not fault.variants:
        return _("%(product)s comes in one size only.") % {"product": _name(fault)}
    return _("We have no such %(product)s. There is: %(choices)s.") % {
        "product": _name(fault),
        "choices": lines.variant_choices(fault.variants, terms),
    }


def _missing_option(fault: Fault, terms: ShopTerms) -> str:
    return _("%(product)s — %(list)s: %(choices)s?") % {
        "product": _name(fault),
        "list": fault.rule.name if fault.rule is not None else "",
        "choices": lines.option_choices(fault.rule.options if fault.rule is not None else (), terms),
    }


def _too_many_options(fault: Fault, _terms: ShopTerms) -> str:
    return _("%(product)s — %(list)s: at most %(max)d. Which ones?") % {
        "product": _name(fault),
        "list": fault.rule.name if fault.rule is not None else "",
        "max": fault.rule.max if fault.rule is not None else 0,
    }


def _no_option(fault: Fault, terms: ShopTerms) -> str:
    rules = fault.product.option_rules if fault.product is not None else ()
    if not rules:
        return _("%(product)s comes without choices.") % {"product": _name(fault)}
    offered = "; ".join(f"{rule.name}: {lines.option_choices(rule.options, terms)}" for rule in rules)
    return _("%(product)s does not come like that. You can choose: %(choices)s.") % {
        "product": _name(fault),
        "choices": offered,
    }


def _below_min(fault: Fault, _terms: ShopTerms) -> str:
    return _("The smallest order of %(product)s is %(count)d.") % {
        "product": _name(fault),
        "count": fault.product.min_quantity if fault.product is not None else 1,
    }


def _over_limit(fault: Fault, _terms: ShopTerms) -> str:
    limit = fault.product.max_quantity if fault.product is not None else None
    return _("We take at most %(count)d of %(product)s in one order.") % {"product": _name(fault), "count": limit or 0}


def _step(fault: Fault, _terms: ShopTerms) -> str:
    return _("%(product)s is sold in steps of %(count)d.") % {
        "product": _name(fault),
        "count": fault.product.step if fault.product is not None else 1,
    }


def _note_too_long(fault: Fault, _terms: ShopTerms) -> str:
    return _("The text for %(product)s may have at most %(max)d characters; yours has %(length)d.") % {
        "product": _name(fault),
        "max": (fault.product.note_max or 0) if fault.product is not None else 0,
        "length": len(fault.wish.note),
    }


def _name(fault: Fault) -> str:
    return fault.product.name if fault.product is not None else fault.wish.product


_SENTENCES: Mapping[Lack, Sentence] = {
    Lack.NOT_FOUND: _not_found,
    Lack.WHICH_PRODUCT: _which_product,
    Lack.WHICH_VARIANT: _which_variant,
    Lack.NO_VARIANT: _no_variant,
    Lack.MISSING_OPTION: _missing_option,
    Lack.TOO_MANY_OPTIONS: _too_many_options,
    Lack.NO_OPTION: _no_option,
    Lack.BELOW_MIN: _below_min,
    Lack.OVER_LIMIT: _over_limit,
    Lack.STEP: _step,
    Lack.NOTE_TOO_LONG: _note_too_long,
}
