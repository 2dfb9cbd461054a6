"""Staff read and write times of the shop, wherever the server is."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from orders.models import Shop


def shop_zone() -> ZoneInfo:
    """The shop's time zone, the server's before a menu is loaded. One small query."""
    name = Shop.objects.values_list("timezone", flat=True).first()
    return ZoneInfo(name or settings.TIME_ZONE)


def shop_time(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: the admin's pages are in the shop's time zone. One small query for each page."""

    def respond(request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/admin/"):
            return get_response(request)
        with timezone.override(shop_zone()):
            return get_response(request)

    return respond
