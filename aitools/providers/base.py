"""What every provider of models is to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from aitools.errors import ConfigurationError
from aitools.prices import Prices
from aitools.types import ModelReply, ModelRequest

#: Seconds a model may take for one reply; SDK retries are always off.
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """Where and how to reach a model: one endpoint row, or the environment's.

    ``api_key`` is never logged and has no place in ``repr``.  ``endpoint_id`` is
    the row's, 0 for the environment's.  ``vendor`` names whose ways a server
    that is compatible with OpenAI has, "" when nobody knows.  ``plan`` asks for
    tools by a JSON plan; ``may_plan`` turns to one when the vendor refuses tools.
    ``name`` is what staff call it.  ``broken``: the vendor refuses us for good, so
    it is asked only now and then.  ``unusable`` says why it can't be asked at all.
    ``prices`` is None where they are not known.
    """

    kind: str
    model: str = ""
    base_url: str = ""
    api_key: str = ""
    timeout_seconds: float = TIMEOUT_SECONDS
    max_output_tokens: int = 1024
    endpoint_id: int = 0
    plan: bool = False
    may_plan: bool = True
    vendor: str = ""
    name: str = ""
    broken: bool = False
    unusable: str = ""
    prices: Prices | None = None

    @property
    def label(self) -> str:
        """What it is called in events and logs."""
        return self.name or self.kind

    def __repr__(self) -> str:
        return f"EndpointConfig(kind={self.kind!r}, model={self.model!r})"


class Provider(Protocol):
    """Turns a request into a reply. Stateless between calls, safe in threads."""

    kind: ClassVar[str]

    def __init__(self, endpoint: EndpointConfig) -> None: ...

    def complete(self, request: ModelRequest) -> ModelReply:
        """One model reply within ``endpoint.timeout_seconds`` of wall clock.

        Raises ``ProviderTransient`` or ``ProviderPermanent``.  Never inside a
        database transaction.
        """
        ...


def provider_for(endpoint: EndpointConfig) -> Provider:
    """Build the provider that ``settings.AITOOLS_PROVIDERS`` names for the kind."""
    paths: dict[str, str] = settings.AITOOLS_PROVIDERS
    if endpoint.kind not in paths:
        raise ConfigurationError(f"Unknown provider {endpoint.kind!r}; known: {', '.join(sorted(paths))}.")
    built: Provider = import_string(paths[endpoint.kind])(endpoint)
    return built
