"""`/metrics` in Prometheus's text format, for who has the token or sits on this machine."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from aitools.gauges import DatabaseGauges
from aitools.metrics import counted

# A proxy on this machine is a neighbour too, but whom it speaks for is not.
_SPOKEN_FOR = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")


@require_safe
@never_cache
def scrape(request: HttpRequest) -> HttpResponse:
    """All counts and gauges; 403 for a wrong token, 404 for strangers when no token is set."""
    if not _is_allowed(request):
        return HttpResponse(status=403 if settings.METRICS_TOKEN else 404)
    registry = CollectorRegistry()
    registry.register(counted())
    registry.register(DatabaseGauges())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _is_allowed(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return constant_time_compare(given, f"Bearer {settings.METRICS_TOKEN}")
    return _is_loopback(request.META.get("REMOTE_ADDR", "")) and not any(map(request.headers.get, _SPOKEN_FOR))


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
