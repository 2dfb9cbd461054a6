"""What a model's row remembers for all processes: that it refuses tools, or refuses us for good.

Each is an UPDATE of its own, outside of any transaction.  The row may be another
model's by now, so model and address are compared.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from django.db.models import QuerySet

from aitools import breakers
from aitools.clock import DbNow
from aitools.errors import ProviderError
from aitools.models import ModelEndpoint
from aitools.providers.base import EndpointConfig

log = logging.getLogger(__name__)

#: A key, a permission or a model's name that the vendor does not take: staff must change it.
FOR_GOOD = frozenset({"auth", "not_found"})

#: Endpoints that refused tools in this process. A row remembers it for all of
#: them, the environment's endpoint has no row.
_refusing: set[tuple[int, str, str, str]] = set()


def forget_refusals() -> None:
    """Ask every endpoint for native tools again, as far as this process decides it."""
    _refusing.clear()


def as_known(endpoint: EndpointConfig) -> EndpointConfig:
    """The endpoint as this process has got to know it."""
    refuses = endpoint.may_plan and _key(endpoint) in _refusing
    return replace(endpoint, plan=True) if refuses else endpoint


def remember_refusal(endpoint: EndpointConfig) -> None:
    """Later requests go straight to the plan."""
    _refusing.add(_key(endpoint))
    if endpoint.endpoint_id:
        _row(endpoint).filter(tool_calls=ModelEndpoint.ToolCalls.AUTO).update(refuses_tools=True)


def mark_broken(endpoint: EndpointConfig, error: ProviderError) -> None:
    """Leave it alone until staff change it; one request in 15 minutes tries. Staff are told the first time."""
    is_news = breakers.rest(endpoint)
    if endpoint.endpoint_id:
        reason = str(error)[:300]
        is_news = bool(_row(endpoint).filter(broken_at=None).update(broken_at=DbNow(), broken_reason=reason))
    if is_news:
        log.error(
            "Model %s is broken and left alone: %s. Its key, name or address is wrong.", endpoint.label, error.kind
        )


def mark_mended(endpoint: EndpointConfig) -> None:
    """It answered."""
    breakers.reset(endpoint)
    if _row(endpoint).exclude(broken_at=None).update(broken_at=None, broken_reason=""):
        log.warning("Model %s answers again.", endpoint.label)


def _row(endpoint: EndpointConfig) -> QuerySet[ModelEndpoint]:
    return ModelEndpoint.objects.filter(pk=endpoint.endpoint_id, model=endpoint.model, base_url=endpoint.base_url)


def _key(endpoint: EndpointConfig) -> tuple[int, str, str, str]:
    return endpoint.endpoint_id, endpoint.kind, endpoint.model, endpoint.base_url
