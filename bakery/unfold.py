"""How the admin looks and what its menu offers whom."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


def _may(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: request.user.has_perm(permission)


def _item(title: str | Promise, icon: str, model: str, **extra: Any) -> dict[str, Any]:
    """A link to a model's list, for those who may see it. ``model`` is like "orders.product"."""
    app, name = model.split(".")
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{app}_{name}_changelist"),
        "permission": _may(f"{app}.view_{name}"),
    } | extra


_WORK = [
    {"title": _("Today"), "icon": "today", "link": reverse_lazy("admin:index")},
    _item(_("Orders"), "receipt_long", "orders.order"),
    _item(_("Conversations"), "forum", "aitools.conversation", badge="bakery.dashboard.waiting_badge"),
    _item(_("Customers"), "group", "orders.customer"),
    {
        "title": _("Report"),
        "icon": "bar_chart",
        "link": reverse_lazy("order_report"),
        "permission": _may("orders.see_money"),
    },
]
_MENU = [
    _item(_("Products"), "bakery_dining", "orders.product"),
    _item(_("Option lists"), "checklist", "orders.optionlist"),
    _item(_("Categories"), "category", "orders.category"),
]
_SHOP = [
    _item(_("Branches and hours"), "storefront", "orders.branch"),
    _item(_("Special days"), "event_busy", "orders.specialday"),
    _item(_("Shop"), "settings", "orders.shop"),
]
_BOT = [
    _item(_("Bot profile"), "smart_toy", "aitools.botprofile"),
    _item(_("Models"), "hub", "aitools.modelendpoint"),
    {
        "title": _("Playground"),
        "icon": "science",
        "link": reverse_lazy("admin:aitools_playground"),
        "permission": _may("aitools.change_botprofile"),
    },
]
_RECORDS = [
    _item(_("Sent messages"), "outbox", "aitools.outboundmessage"),
    _item(_("Questions"), "help", "aitools.pendingconfirmation"),
    _item(_("Turns"), "sync_alt", "aitools.turn"),
    _item(_("Tool calls"), "build", "aitools.toolcall"),
    _item(_("Audit"), "policy", "aitools.auditevent"),
]
_PEOPLE = [
    _item(_("Users"), "person", "auth.user"),
    _item(_("Roles"), "badge", "auth.group"),
]

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _("Ordering desk"),
    "SITE_HEADER": _("Ordering desk"),
    "SITE_SYMBOL": "bakery_dining",
    "SITE_URL": None,
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("bakery/favicon.svg")}],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "SHOW_LANGUAGES": True,
    "SHOW_BACK_BUTTON": True,
    "DASHBOARD_CALLBACK": "bakery.dashboard.fill",
    "STYLES": [lambda request: static("bakery/admin.css")],
    "SCRIPTS": [lambda request: static("bakery/admin.js")],
    # A crust's brown; 600 carries white text at a contrast above 5 : 1.
    "COLORS": {
        "primary": {
            "50": "oklch(98% .016 73)",
            "100": "oklch(95% .038 75)",
            "200": "oklch(90% .072 74)",
            "300": "oklch(83% .112 70)",
            "400": "oklch(74% .148 62)",
            "500": "oklch(66% .160 55)",
            "600": "oklch(53% .135 50)",
            "700": "oklch(46% .117 48)",
            "800": "oklch(39% .095 47)",
            "900": "oklch(34% .080 46)",
            "950": "oklch(24% .058 45)",
        }
    },
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {"items": _WORK},
            {"title": _("Menu"), "separator": True, "items": _MENU},
            {"title": _("Shop"), "separator": True, "items": _SHOP},
            {"title": _("Bot"), "separator": True, "items": _BOT},
            {"title": _("Records"), "separator": True, "collapsible": True, "items": _RECORDS},
            {"title": _("People"), "separator": True, "items": _PEOPLE},
        ],
    },
}
