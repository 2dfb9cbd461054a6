"""What the adapters of vendors' APIs have in common: a home, one limit of time, one vocabulary of faults."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import httpx2

from aitools.errors import ConfigurationError, ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers import http
from aitools.providers.base import EndpointConfig, provider_for
from aitools.providers.failures import failure_of
from aitools.providers.homes import Home
from aitools.providers.honest import honest
from aitools.providers.payloads import talk
from aitools.storable import storable
from aitools.types import AssistantStep, AssistantText, Json, Message, ModelReply, ModelRequest


class Adapter(ABC):
    """A provider that asks a vendor by HTTP.

    Key and base URL come from the endpoint, else from the environment, else the
    URL from the vendor's home. ``http_client`` replaces the pooled client (tests).
    """

    kind: ClassVar[str]
    home: ClassVar[Home]
    default_model: ClassVar[str] = ""

    def __init__(self, endpoint: EndpointConfig, http_client: httpx2.Client | None = None) -> None:
        home = self._home_of(endpoint)
        self._endpoint = endpoint
        self._model = endpoint.model or self.default_model
        self._key = endpoint.api_key or os.environ.get(f"{home.variables}_API_KEY", "")
        self._base_url = endpoint.base_url or os.environ.get(f"{home.variables}_BASE_URL") or home.url
        self._http_client = http_client

    def complete(self, request: ModelRequest) -> ModelReply:
        """See ``Provider.complete``. Not retried: that is the engine's decision."""
        self.load()
        seconds = self._endpoint.timeout_seconds
        body = storable(self._body(request))
        with http.deadline(seconds):
            response = self._post(body, http.timeout(seconds))
        return honest(self._reply(response, request), request, self._key)

    def load(self) -> None:
        """Do what takes seconds the first time and is no part of a reply's: read certificates, import an SDK."""
        if self._http_client is None:
            http.client_for(self._base_url)

    @property
    def origin(self) -> str:
        """What a raw turn is tied to: thinking is signed or encrypted for one model."""
        return f"{self._model}@{self._base_url}"

    @abstractmethod
    def _body(self, request: ModelRequest) -> dict[str, Json]: ...

    @abstractmethod
    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        """The vendor's successful answer. Raises ``ProviderError`` for any other."""

    @abstractmethod
    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply: ...

    def _home_of(self, endpoint: EndpointConfig) -> Home:
        return self.home

    def _sdk_options(self) -> dict[str, Any]:
        """What every SDK's client is made with. Never its own retries: there is one layer of them, ours."""
        client = self._http_client or http.client_for(self._base_url)
        key = self._key or ("none" if self._home_of(self._endpoint).keyless else None)
        return {"api_key": key, "base_url": self._base_url, "http_client": client, "max_retries": 0}

    def _no_key(self) -> ProviderPermanent:
        return ProviderPermanent(f"No key for {self._home_of(self._endpoint).name} is set.", kind="auth")


class MessagesAdapter(Adapter):
    """An adapter whose vendor takes the talk as a list of messages, each with its role."""

    def _talk(self, request: ModelRequest) -> list[Json]:
        return [wire for message in talk(request.messages) for wire in self._wire(message)]

    @abstractmethod
    def _step(self, step: AssistantStep) -> Iterator[Json]:
        """A turn of the model and, right after it, one result for each of its calls."""

    def _said(self, role: str, text: str) -> dict[str, Json]:
        return {"role": role, "content": text}

    def _wire(self, message: Message) -> Iterator[Json]:
        if isinstance(message, AssistantStep):
            yield from self._step(message)
        else:
            yield self._said("assistant" if isinstance(message, AssistantText) else "user", message.text)


def load(endpoint: EndpointConfig) -> None:
    """Import what the endpoint's kind needs, before anybody's time runs: the first time that takes up to ten seconds.

    Raises nothing; what is missing is told when the endpoint is asked.
    """
    with suppress(ProviderError, ConfigurationError):
        provider = provider_for(endpoint)
        if isinstance(provider, Adapter):
            provider.load()


@contextmanager
def faults_of(sdk: Any, key: str) -> Iterator[None]:
    """Say an SDK's faults in our words. ``key`` is blotted out of them.

    ``sdk`` is the module: Anthropic's and OpenAI's are made by one generator and
    name their exceptions alike.
    """
    try:
        yield
    except sdk.APITimeoutError as error:
        raise ProviderTransient("No reply in time.", kind="timeout") from error
    except sdk.APIConnectionError as error:
        if isinstance(error.__cause__, ProviderError):  # our own transport's, wrapped by the SDK
            raise error.__cause__ from error
        raise ProviderTransient("The connection failed.", kind="connection") from error
    except sdk.APIStatusError as error:
        raise failure_of(error.response, key) from error
