"""One order as a sheet of paper would show it: finished values for the template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from orders.admin.amounts import Amounts
from orders.admin.today import STATE_TONES
from orders.models import EventKind, Order, OrderEvent, OrderLine, OrderState


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line; amounts are "" for who may not see money."""

    quantity: int
    name: str
    options: tuple[str, ...]
    note: str
    unit_price: str
    total: str


@dataclass(frozen=True, slots=True)
class SheetEvent:
    """One thing that happened, newest last."""

    at: datetime
    who: str
    what: str


@dataclass(frozen=True, slots=True)
class Step:
    """A button: the state it leads to and what it says."""

    state: str
    title: str
    style: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """An order with its lines, history and possible steps."""

    number: str
    state: str
    tone: str
    due: datetime
    branch: str
    name: str
    phone: str
    note: str
    cancel_reason: str
    version: int
    lines: tuple[SheetLine, ...]
    subtotal: str
    tax: str
    total: str
    events: tuple[SheetEvent, ...]
    steps: tuple[Step, ...]
    may_cancel: bool

    @classmethod
    def of(cls, order: Order, *, with_money: bool, with_customer: bool, steps: Sequence[OrderState]) -> Sheet:
        """Read what the page shows. Five queries, whatever the order's size."""
        amounts = Amounts.current() if with_money else None
        added_tax = not order.prices_include_tax and order.tax

        def money(amount: object) -> str:
            return amounts.show(amount, order.currency) if amounts else ""  # type: ignore[arg-type]

        return cls(
            number=order.number,
            state=order.get_state_display(),
            tone=STATE_TONES[order.state],
            due=order.due_at.astimezone(order.branch.zone),
            branch=order.branch.name,
            name=order.name,
            phone=order.customer.phone if with_customer else "",
            note=order.note,
            cancel_reason=order.cancel_reason,
            version=order.version,
            lines=tuple(_line(line, order.currency, amounts) for line in order.lines.prefetch_related("options")),
            subtotal=money(order.subtotal) if added_tax else "",
            tax=money(order.tax) if added_tax else "",
            total=money(order.total),
            events=tuple(_event(event) for event in order.events.select_related("user").order_by("id")),
            steps=tuple(_step(order, state) for state in steps if state != OrderState.CANCELLED),
            may_cancel=OrderState.CANCELLED in steps,
        )


def _line(line: OrderLine, currency: str, amounts: Amounts | None) -> SheetLine:
    return SheetLine(
        quantity=line.quantity,
        name=f"{line.name} ({line.variant_name})" if line.variant_name else line.name,
        options=tuple(option.name for option in line.options.all()),
        note=line.note,
        unit_price=amounts.show(line.unit_price, currency) if amounts else "",
        total=amounts.show(line.line_total, currency) if amounts else "",
    )


def _event(event: OrderEvent) -> SheetEvent:
    what = str(EventKind(event.what).label)
    after = (event.after or {}).get("state")
    if event.what == EventKind.STATE and after in OrderState.values:
        what = str(OrderState(after).label)
    return SheetEvent(
        at=event.at, who=event.user.get_username() if event.user else event.get_actor_display(), what=what
    )


_TITLES = {
    OrderState.PREPARING: lambda: _("Start"),
    OrderState.READY: lambda: _("Ready"),
    OrderState.PICKED_UP: lambda: _("Picked up"),
    OrderState.NO_SHOW: lambda: _("Not picked up"),
}
#: The way forward; any other step is back or aside.
_FORWARD = {
    OrderState.ACCEPTED.value: (OrderState.PREPARING, OrderState.READY),
    OrderState.PREPARING.value: (OrderState.READY,),
    OrderState.READY.value: (OrderState.PICKED_UP, OrderState.NO_SHOW),
}


def _step(order: Order, state: OrderState) -> Step:
    forward = _FORWARD.get(order.state, ())
    if state not in forward:
        return Step(state.value, _("Back to “%(state)s”") % {"state": state.label}, "")
    return Step(state.value, _TITLES[state](), "desk-primary" if state == forward[0] else "")
