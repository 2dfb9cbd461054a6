"""The four roles of a shop as Django groups, and what each may do."""

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_noop

VIEW = ("view",)
EDIT = ("view", "change")
FULL = ("view", "add", "change", "delete")

_MENU = ("category", "product", "variant", "productoptions", "availability", "optionlist", "option")
_HOURS = ("branch", "openingwindow", "specialday")
_RECORDS = ("outboundmessage", "pendingconfirmation", "turn", "step", "toolcall", "auditevent")


def _all(app: str, models: Iterable[str], verbs: Iterable[str]) -> set[str]:
    return {f"{app}.{verb}_{model}" for model in models for verb in verbs}


_KITCHEN = _all("orders", ("order", "orderline"), VIEW) | {"orders.prepare_order"}
_COUNTER = (
    _KITCHEN
    | _all("orders", ("order", "customer"), EDIT)
    | _all("orders", ("product",), EDIT)
    | _all("orders", (*_MENU, *_HOURS, "customercontact"), VIEW)
    | _all("aitools", ("conversation",), EDIT)
    | _all("aitools", ("outboundmessage", "pendingconfirmation"), VIEW)
    | {"orders.see_money"}
)
_MANAGER = (
    _COUNTER
    | _all("orders", (*_MENU, *_HOURS), FULL)
    | _all("orders", ("shop",), VIEW)
    | _all("aitools", _RECORDS, VIEW)
    | _all("aitools", ("botprofile",), EDIT)
    | _all("aitools", ("textoverride",), FULL)
    | _all("aitools", ("modelendpoint",), VIEW)
)
_OWNER = (
    _MANAGER
    | _all("orders", ("shop",), EDIT)
    | _all("aitools", ("botprofile", "modelendpoint"), FULL)
    | _all("auth", ("user",), FULL)
    | _all("auth", ("group",), VIEW)
)

#: Names are data; pages show them in the reader's language.
ROLES: Mapping[str, set[str]] = {
    gettext_noop("owner"): _OWNER,
    gettext_noop("manager"): _MANAGER,
    gettext_noop("counter"): _COUNTER,
    gettext_noop("kitchen"): _KITCHEN,
}


@transaction.atomic
def sync() -> list[str]:
    """Make the groups and give each exactly its permissions; their names. Raises ``LookupError`` for an unknown one."""
    for name, wanted in ROLES.items():
        group, _ = Group.objects.get_or_create(name=name)
        group.permissions.set(_permissions(wanted))
    return list(ROLES)


def _permissions(wanted: set[str]) -> list[Permission]:
    query = Q(pk=None)
    for entry in wanted:
        app, codename = entry.split(".")
        query |= Q(content_type__app_label=app, codename=codename)
    found = list(Permission.objects.filter(query).select_related("content_type"))
    missing = wanted - {f"{row.content_type.app_label}.{row.codename}" for row in found}
    if missing:
        raise LookupError(f"No such permission: {', '.join(sorted(missing))}. Run manage.py migrate first.")
    return found
