"""The profile and the models in force: rows first, then the environment.

Rows are read once and kept for as long as their version number stands; it comes
with the statement that takes a lease, so an edit is in force with the next
message on every worker.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from aitools.answers import Words
from aitools.models import BehaviourVersion, BotProfile, ModelEndpoint
from aitools.providers.base import EndpointConfig
from aitools.wording import Wording, wording_of

_ToolCalls = ModelEndpoint.ToolCalls

#: What a reply is expected to take at most before the first profile was read.
LIKELY_WAIT_SECONDS = 30.0
#: Our own order taker needs no network.
OFFLINE_SECONDS = 5.0


@dataclass
class Behaviour:
    """A profile with all that hangs on it, read at one version. Shared by threads: never change it."""

    profile: BotProfile
    version: int | None

    @cached_property
    def words(self) -> Words:
        return words(self.profile)

    def endpoints(self) -> list[EndpointConfig]:
        return endpoints(self.profile)

    def wording(self, language: str) -> Wording:
        return wording_of(self.profile, language)

    @property
    def longest_wait(self) -> float:
        """Seconds that one model reply may take, all endpoints together."""
        return sum(endpoint.timeout_seconds for endpoint in self.endpoints())


_kept: Behaviour | None = None
_lock = threading.Lock()


def at(version: int | None) -> Behaviour:
    """What is in force at this version; reads rows only when it is a new one."""
    global _kept  # noqa: PLW0603 - one value per process, replaced as a whole
    kept = _kept
    if kept is not None and version is not None and kept.version == version:
        return kept
    with _lock:
        fresh = Behaviour(_read(), version)
        _kept = fresh
    return fresh


def current() -> Behaviour:
    """What is in force now. One query when nothing changed."""
    return at(BehaviourVersion.objects.values_list("version", flat=True).first())


def profile() -> BotProfile:
    """The newest active profile; an unsaved one with the defaults if there is none."""
    return current().profile


def likely() -> tuple[float, int]:
    """Longest wait in seconds and earlier turns to read, as last known in this process."""
    if _kept is None:
        return LIKELY_WAIT_SECONDS, BotProfile().history_turns
    return _kept.longest_wait, _kept.profile.history_turns


def words(in_force: BotProfile) -> Words:
    """Yes and no words: the frozen defaults, the regions' and what the profile adds or puts in their place."""
    return Words.of(
        regions=in_force.word_regions,
        yes=in_force.yes_words,
        no=in_force.no_words,
        replace=in_force.words_replace,
    )


def endpoints(in_force: BotProfile) -> list[EndpointConfig]:
    """The models to try, in order, without those switched off. The offline order taker always comes last."""
    rows = [in_force.endpoint] if in_force.endpoint else []
    if in_force.pk:
        rows += in_force.fallbacks.all()
    chain = [] if in_force.endpoint else [_from_environment()]
    chain += [_from_row(row) for row in rows if row.active]
    if all(endpoint.kind != "offline" for endpoint in chain):
        chain.append(_offline())
    return chain


def _read() -> BotProfile:
    profiles = BotProfile.objects.filter(active=True).select_related("endpoint").prefetch_related("fallbacks", "texts")
    return profiles.order_by("-id").first() or BotProfile(language=settings.LANGUAGE_CODE[:2])


def _from_row(row: ModelEndpoint) -> EndpointConfig:
    return EndpointConfig(
        kind=row.kind,
        model=row.model,
        base_url=row.base_url,
        api_key=_key(row),
        timeout_seconds=float(row.timeout_seconds),
        max_output_tokens=row.max_output_tokens,
        endpoint_id=row.pk,
        plan=row.tool_calls == _ToolCalls.PLAN or (row.tool_calls == _ToolCalls.AUTO and row.refuses_tools),
        may_plan=row.tool_calls != _ToolCalls.NATIVE,
        vendor=row.vendor,
    )


def _key(row: ModelEndpoint) -> str:
    """The key that the row names, and no other: a typed address must not get the environment's own."""
    if row.key_variable.endswith("_API_KEY"):
        return os.environ.get(row.key_variable, "")
    return "none" if row.base_url else ""


def _from_environment() -> EndpointConfig:
    own = settings.AI_PROVIDER == "offline"
    return _offline() if own else EndpointConfig(kind=settings.AI_PROVIDER, model=settings.AI_MODEL)


def _offline() -> EndpointConfig:
    return EndpointConfig(kind="offline", timeout_seconds=OFFLINE_SECONDS)
