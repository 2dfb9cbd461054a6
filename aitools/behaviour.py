"""The profile and the models in force: rows first, then the environment.

Rows are read once and kept for as long as their version number stands; it comes
with the statement that takes a lease, so an edit is in force with the next
message on every worker.
"""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass, replace
from functools import cached_property

from django.conf import settings

from aitools import completion, keyring
from aitools.answers import Words
from aitools.models import BehaviourVersion, BotProfile, ModelEndpoint
from aitools.prices import Prices
from aitools.providers.base import EndpointConfig
from aitools.wording import Wording, wording_of

log = logging.getLogger(__name__)

_ToolCalls = ModelEndpoint.ToolCalls
#: Kinds whose vendors speak OpenAI's API for voice notes.
_HEARING = (ModelEndpoint.Kind.OPENAI, ModelEndpoint.Kind.COMPATIBLE)

#: What a reply is expected to take at most before the first profile was read.
LIKELY_WAIT_SECONDS = 30.0
#: Our own order taker needs no network.
OFFLINE_SECONDS = 5.0
#: Why an endpoint with a stored key can't be asked.
CLOSED_KEY = "its key can't be opened"

#: Sealed keys whose fault was logged.
_told: set[str] = set()


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

    def voice_endpoint(self) -> EndpointConfig | None:
        """What turns voice notes into text, its ``model`` being the one for that; None when nothing does."""
        row = self.profile.voice_endpoint
        if row is None or not row.active or not hears(row):
            return None
        endpoint = replace(from_row(row), model=row.transcription_model)
        return None if endpoint.unusable else endpoint

    @property
    def longest_wait(self) -> float:
        """Seconds that one model reply may take, all endpoints together."""
        return completion.longest_wait(self.endpoints())


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


def known() -> Behaviour | None:
    """What this process read last, if anything: what is done by it must compare the version."""
    return _kept if _kept is not None and _kept.version is not None else None


def likely() -> tuple[float, int]:
    """Longest wait in seconds and earlier turns to read, as last known in this process."""
    if _kept is None:
        return LIKELY_WAIT_SECONDS, BotProfile().history_turns
    return _kept.longest_wait, _kept.profile.history_turns


def hears(row: ModelEndpoint) -> bool:
    """Whether this endpoint can turn speech into text."""
    return row.kind in _HEARING and bool(row.transcription_model)


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
    chain += [from_row(row) for row in rows if row.active]
    if all(endpoint.kind != "offline" for endpoint in chain):
        chain.append(offline())
    return chain


def _read() -> BotProfile:
    profiles = (
        BotProfile.objects.filter(active=True)
        .select_related("endpoint", "voice_endpoint")
        .prefetch_related("fallbacks", "texts")
    )
    return profiles.order_by("-id").first() or BotProfile(language=settings.LANGUAGE_CODE[:2])


def from_row(row: ModelEndpoint) -> EndpointConfig:
    """How to reach the row's model, with its key opened."""
    key, fault = _key(row)
    return EndpointConfig(
        kind=row.kind,
        model=row.model,
        base_url=row.base_url,
        api_key=key,
        timeout_seconds=float(row.timeout_seconds),
        max_output_tokens=row.max_output_tokens,
        endpoint_id=row.pk,
        plan=row.tool_calls == _ToolCalls.PLAN or (row.tool_calls == _ToolCalls.AUTO and row.refuses_tools),
        may_plan=row.tool_calls != _ToolCalls.NATIVE,
        vendor=row.vendor,
        name=row.name,
        broken=row.broken_at is not None,
        unusable=fault,
        prices=Prices.of(row.input_price, row.cached_price, row.output_price),
    )


def offline() -> EndpointConfig:
    """Our own order taker."""
    return EndpointConfig(kind="offline", timeout_seconds=OFFLINE_SECONDS)


def _key(row: ModelEndpoint) -> tuple[str, str]:
    """The key that the row holds or names, and why it can't be had.

    No other key: a typed address must not get the environment's own.
    """
    if row.sealed_key:
        try:
            return keyring.unseal(row.sealed_key, row.place), ""
        except keyring.CannotOpen as error:
            _tell(row, error)
            return "none", CLOSED_KEY
    named = os.environ.get(row.key_variable, "") if row.key_variable.endswith("_API_KEY") else ""
    return named or ("none" if row.base_url else ""), ""


def _tell(row: ModelEndpoint, error: keyring.CannotOpen) -> None:
    """Once in each process, not with each message."""
    if row.sealed_key not in _told:
        _told.add(row.sealed_key)
        log.error("The stored key of model %s can't be opened: %s", row.pk, error)


def _from_environment() -> EndpointConfig:
    if settings.AI_PROVIDER == "offline":
        return offline()
    return EndpointConfig(kind=settings.AI_PROVIDER, model=settings.AI_MODEL, vendor=settings.AI_VENDOR)
