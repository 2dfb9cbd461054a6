"""Orders: found by day, read whole, moved on by buttons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RelatedDropdownFilter
from unfold.decorators import display

from aitools.admin.columns import ChannelColumn
from aitools.admin.filters import ChannelFilter, DayRangeFilter
from aitools.admin.links import change_url
from aitools.admin.listing import GrowingList, ReadOnly
from aitools.admin.posting import PostActions, Refused
from aitools.prices import dollars
from orders import transitions
from orders.admin.amounts import Amounts
from orders.admin.searching import PlainSearch
from orders.admin.sheet import Sheet
from orders.admin.today import STATE_TONES, short_lines
from orders.modelcosts import cost_of
from orders.models import Order, OrderLine, OrderState
from orders.transitions import NotMoved

#: The permission each step needs; the kitchen has only the first.
PREPARE, CHANGE = "orders.prepare_order", "orders.change_order"
STEP_PERMISSIONS = {
    OrderState.ACCEPTED: CHANGE,
    OrderState.PREPARING: PREPARE,
    OrderState.READY: PREPARE,
    OrderState.PICKED_UP: CHANGE,
    OrderState.NO_SHOW: CHANGE,
    OrderState.CANCELLED: CHANGE,
}


@admin.register(Order)
class OrderAdmin(ChannelColumn, PostActions, ReadOnly, PlainSearch, GrowingList):
    """Nothing is edited as a form: each button is one step, checked against the version that was shown."""

    list_display = ("number", "due", "branch", "name", "content", "progress", "by_channel")
    list_filter = (
        ("business_date", DayRangeFilter),
        ("state", ChoicesDropdownFilter),
        ("branch", RelatedDropdownFilter),
        ChannelFilter,
    )
    list_select_related = ("branch",)
    search_fields = ("name", "code", "note")
    search_help_text = gettext_lazy("Name, code or note")
    actions = ("mark_preparing", "mark_ready", "mark_picked_up")
    fields = (("code", "by_channel"), ("created_at", "taken_by"))
    readonly_fields = ("by_channel",)
    change_form_outer_before_template = "admin/orders/order/sheet.html"
    post_actions = {"move": "view"}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        lines = Prefetch("lines", OrderLine.objects.order_by("position").prefetch_related("options"))
        return super().get_queryset(request).prefetch_related(lines)

    def get_list_display(self, request: HttpRequest) -> Any:
        columns = list(super().get_list_display(request))
        if request.user.has_perm("orders.see_money"):
            columns.insert(columns.index("progress"), _total_column(Amounts.current()))
        return columns

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """The customer's page links to that customer's orders."""
        return lookup == "customer__id__exact" or super().lookup_allowed(lookup, value, cast(HttpRequest, request))

    @display(description=gettext_lazy("number"), header=True)
    def number(self, row: Order) -> list[str]:
        return [row.number, row.code]

    @display(description=gettext_lazy("pick-up"))
    def due(self, row: Order) -> str:
        return f"{row.due_at.astimezone(row.branch.zone):%d/%m %H:%M}"

    @display(description=gettext_lazy("lines"))
    def content(self, row: Order) -> str:
        return short_lines(row.lines.all())

    @display(description=gettext_lazy("state"), label=STATE_TONES)
    def progress(self, row: Order) -> tuple[str, str]:
        return row.state, row.get_state_display()

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if isinstance(row, Order):
            context |= {
                "sheet": Sheet.of(
                    row,
                    with_money=request.user.has_perm("orders.see_money"),
                    with_customer=request.user.has_perm("orders.view_customer"),
                    steps=[state for state in transitions.NEXT[row.state] if _may_put(request, state)],
                ),
                "conversation_url": self._conversation_url(request, row),
                "model_cost": _model_cost(request, row),
            }
        return super().change_view(request, object_id, form_url, context)

    def _conversation_url(self, request: HttpRequest, row: Order) -> str:
        if row.tool_call is None or not request.user.has_perm("aitools.view_conversation"):
            return ""
        return change_url(row.tool_call.turn.conversation)

    def do_move(self, request: HttpRequest, row: Order) -> str:
        state = request.POST.get("state", "")
        version = request.POST.get("version", "")
        if state not in OrderState.values or not version.isdecimal() or not _may_put(request, OrderState(state)):
            raise Refused(_("That step is not possible."))
        reason = request.POST.get("reason", "").strip()
        try:
            return _moved(
                transitions.move(row.pk, OrderState(state), user=_user(request), version=int(version), reason=reason)
            )
        except NotMoved as refusal:
            raise Refused(str(refusal)) from refusal

    @admin.action(description=gettext_lazy("Start"), permissions=["prepare"])
    def mark_preparing(self, request: HttpRequest, queryset: QuerySet[Order]) -> None:
        self._move_all(request, queryset, OrderState.PREPARING)

    @admin.action(description=gettext_lazy("Mark as ready"), permissions=["prepare"])
    def mark_ready(self, request: HttpRequest, queryset: QuerySet[Order]) -> None:
        self._move_all(request, queryset, OrderState.READY)

    @admin.action(description=gettext_lazy("Mark as picked up"), permissions=["hand_over"])
    def mark_picked_up(self, request: HttpRequest, queryset: QuerySet[Order]) -> None:
        self._move_all(request, queryset, OrderState.PICKED_UP)

    def _move_all(self, request: HttpRequest, queryset: QuerySet[Order], state: OrderState) -> None:
        moved = 0
        for pk in queryset.values_list("pk", flat=True):
            try:
                order = transitions.move(pk, state, user=_user(request))
            except NotMoved as refusal:
                messages.warning(request, str(refusal))
            else:
                self.log_change(request, order, _moved(order))
                moved += 1
        text = ngettext("%(count)d order moved on.", "%(count)d orders moved on.", moved)
        messages.success(request, text % {"count": moved})

    def has_prepare_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(PREPARE)

    def has_hand_over_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(CHANGE)


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)  # admin pages have no anonymous visitors


def _moved(order: Order) -> str:
    return _("%(order)s: %(state)s.") % {"order": order.number, "state": order.get_state_display()}


def _may_put(request: HttpRequest, state: OrderState) -> bool:
    return request.user.has_perm(STEP_PERMISSIONS[state])


def _total_column(amounts: Amounts) -> Callable[[Order], str]:
    """A column that writes money without asking for the shop at every row."""

    @display(description=gettext_lazy("total"))
    def total(row: Order) -> str:
        return amounts.show(row.total, row.currency)

    return total


def _model_cost(request: HttpRequest, row: Order) -> str:
    """For who may read how an answer came about; "" where no price is known."""
    cost = cost_of(row) if request.user.has_perm("aitools.view_turn") else None
    return dollars(cost) if cost is not None else ""
