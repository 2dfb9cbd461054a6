"""Moving an order along: who may do what next, and telling two people apart who do it at once."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from aitools import clock
from aitools.types import Json
from orders import stock
from orders.models import Actor, EventKind, Order, OrderEvent, OrderState
from orders.placing import summary

#: What staff may do next. Steps back are for undoing a slip; a cancelled order stays cancelled.
NEXT: Mapping[str, tuple[OrderState, ...]] = {
    OrderState.ACCEPTED: (OrderState.PREPARING, OrderState.READY, OrderState.CANCELLED),
    OrderState.PREPARING: (OrderState.READY, OrderState.ACCEPTED, OrderState.CANCELLED),
    OrderState.READY: (OrderState.PICKED_UP, OrderState.NO_SHOW, OrderState.PREPARING),
    OrderState.PICKED_UP: (OrderState.READY,),
    OrderState.NO_SHOW: (OrderState.READY,),
    OrderState.CANCELLED: (),
}


class NotMoved(Exception):
    """Why the order stayed as it was: one sentence for the person who asked, in their language."""


def move(order_id: int, state: OrderState, *, user: User, version: int | None = None, reason: str = "") -> Order:
    """Put an order into its next state and record who did it. Opens its transaction.

    ``version`` is what the person saw; if the order has changed since, or the
    step is not allowed, nothing happens and ``NotMoved`` says why.
    """
    with transaction.atomic():
        order = Order.objects.select_for_update(of=("self",)).select_related("branch").get(pk=order_id)
        _check(order, state, version)
        before = summary(order)
        if state == OrderState.CANCELLED:
            stock.give_back(order)
            order.cancel_reason = reason[:200]
        order.state, order.version = state, order.version + 1
        order.save(update_fields=["state", "version", "cancel_reason"])
        _record(order, user, before)
    return order


def _record(order: Order, user: User, before: dict[str, Json]) -> None:
    what = EventKind.CANCELLED if order.state == OrderState.CANCELLED else EventKind.STATE
    OrderEvent.objects.create(
        order=order, at=clock.now(), actor=Actor.STAFF, user=user, what=what, before=before, after=summary(order)
    )


def _check(order: Order, state: OrderState, version: int | None) -> None:
    if version is not None and version != order.version:
        raise NotMoved(_changed_by(order))
    if state not in NEXT[order.state]:
        raise NotMoved(
            _("%(order)s is “%(state)s”; that step is not possible now.")
            % {"order": order.number, "state": order.get_state_display()}
        )


def _changed_by(order: Order) -> str:
    event = order.events.select_related("user").order_by("-id").first()
    who = event.user.get_username() if event and event.user else event.get_actor_display() if event else ""
    return _("%(who)s has changed %(order)s while you had it open (now “%(state)s”). Nothing was saved.") % {
        "who": who or _("Somebody"),
        "order": order.number,
        "state": order.get_state_display(),
    }
