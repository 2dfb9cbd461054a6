"""The profile and the models in force: rows first, then the environment."""

from __future__ import annotations

import os

from django.conf import settings

from aitools.answers import Words
from aitools.models import BotProfile, ModelEndpoint
from aitools.providers.base import EndpointConfig


def profile() -> BotProfile:
    """The newest active profile; an unsaved one with the defaults if there is none."""
    found = BotProfile.objects.filter(active=True).select_related("endpoint").order_by("-id").first()
    return found or BotProfile(language=settings.LANGUAGE_CODE[:2])


def words(in_force: BotProfile) -> Words:
    """Yes and no words: the frozen defaults and what the profile adds."""
    return Words.extended(in_force.yes_words, in_force.no_words)


def endpoints(in_force: BotProfile) -> list[EndpointConfig]:
    """The models to try, in order, without those switched off. The offline order taker always comes last."""
    rows = [in_force.endpoint] if in_force.endpoint else []
    if in_force.pk:
        rows += in_force.fallbacks.all()
    chain = [] if in_force.endpoint else [_from_environment()]
    chain += [_from_row(row) for row in rows if row.active]
    if all(endpoint.kind != "offline" for endpoint in chain):
        chain.append(EndpointConfig(kind="offline"))
    return chain


def _from_row(row: ModelEndpoint) -> EndpointConfig:
    return EndpointConfig(
        kind=row.kind,
        model=row.model,
        base_url=row.base_url,
        api_key=_key(row),
        timeout_seconds=float(row.timeout_seconds),
        max_output_tokens=row.max_output_tokens,
    )


def _key(row: ModelEndpoint) -> str:
    """The key that the row names, and no other: a typed address must not get the environment's own."""
    if row.key_variable.endswith("_API_KEY"):
        return os.environ.get(row.key_variable, "")
    return "none" if row.base_url else ""


def _from_environment() -> EndpointConfig:
    return EndpointConfig(kind=settings.AI_PROVIDER, model=settings.AI_MODEL)
