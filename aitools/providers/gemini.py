"""Gemini's generateContent through google-genai, which is installed only where it is wanted.

The request goes out as it is written here, and the answer is read as it came,
past the SDK's own models: they refuse parts that they do not know, and write
signatures in another alphabet of base64 than they were given in (python-genai
issue 2105).  Gemini knows no call ids of its own: calls and results are paired
by their place.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

import httpx2

from aitools.errors import ProviderError, ProviderPermanent, ProviderTransient
from aitools.providers import http
from aitools.providers.adapter import Adapter
from aitools.providers.failures import failure
from aitools.providers.gemini_schema import gemini_schema
from aitools.providers.gemini_shape import (
    calls_of,
    contents,
    declaration,
    fault_of,
    parts_of,
    retry_delay,
    stop_of,
    text_of,
    usage_of,
    word_of,
)
from aitools.providers.homes import Home
from aitools.providers.payloads import ROOM_FOR_THOUGHTS, body_of, wrapped
from aitools.types import Json, ModelReply, ModelRequest, Stop

if TYPE_CHECKING:
    from google import genai
    from google.genai import errors

NOT_INSTALLED = "Install google-genai to use Gemini: pip install -r requirements-gemini.txt"

MOST_OUTPUT_TOKENS = 65_536


class GeminiProvider(Adapter):
    """Models of Google's Gemini API."""

    kind: ClassVar[str] = "gemini"
    home: ClassVar[Home] = Home("Gemini", "https://generativelanguage.googleapis.com", "GEMINI")
    default_model: ClassVar[str] = "gemini-flash-latest"

    def load(self) -> None:
        """Also the SDK. Raises ``ProviderPermanent`` where it is not installed."""
        super().load()
        _sdk()

    def _post(self, body: Mapping[str, Json], timeout: httpx2.Timeout) -> httpx2.Response:
        if not self._key:
            raise self._no_key()
        client = _client(self._key, self._base_url, self._http_client or http.client_for(self._base_url))
        with _faults(self._key):
            # The SDK wants contents; those of the body take their place.
            answer = client.models.generate_content(model=self._model, contents="…", config=_config(body, timeout))
        return httpx2.Response(200, text=(answer.sdk_http_response and answer.sdk_http_response.body) or "")

    # Request

    def _body(self, request: ModelRequest) -> dict[str, Json]:
        room = min(request.max_output_tokens * ROOM_FOR_THOUGHTS, MOST_OUTPUT_TOKENS)
        generation: dict[str, Json] = {"maxOutputTokens": room}
        body: dict[str, Json] = {
            "contents": contents(request.messages, self._model, self.origin),
            "generationConfig": generation,
        }
        if request.system.strip():
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        if request.tools:
            body["tools"] = [{"functionDeclarations": [declaration(spec) for spec in request.tools]}]
        elif request.text_schema:
            generation["responseMimeType"] = "application/json"
            generation["responseJsonSchema"] = gemini_schema(request.text_schema)
        return body

    # Reply

    def _reply(self, response: httpx2.Response, request: ModelRequest) -> ModelReply:
        body = body_of(response)
        if body.get("error"):
            raise failure(response.status_code, fault_of(body), secret=self._key)
        word, parts = word_of(body), parts_of(body)
        if word == "MISSING_THOUGHT_SIGNATURE":  # asking again would send the same history
            raise ProviderPermanent(f"Gemini stopped: {word}.", kind="invalid_request")
        stop = stop_of(word, parts)
        return ModelReply(
            text="" if stop is Stop.MALFORMED else text_of(parts),
            tool_calls=calls_of(parts, word, stop, request),
            stop=stop,
            usage=usage_of(body),
            raw=wrapped(self.origin, parts),
            raw_stop=word,
            model=str(body.get("modelVersion") or self._model),
            request_id=str(body.get("responseId") or ""),
        )


def is_installed() -> bool:
    """Whether google-genai is there. Does not load it."""
    try:
        return find_spec("google.genai") is not None
    except ModuleNotFoundError:  # not even its namespace
        return False


def _sdk() -> ModuleType:
    """google-genai, imported when it is first asked for: it is slow to load, and most desks never need it."""
    try:
        from google import genai
    except ImportError as error:
        raise ProviderPermanent(NOT_INSTALLED, kind="not_found") from error
    return genai


@lru_cache(maxsize=16)
def _client(key: str, base_url: str, http_client: httpx2.Client) -> genai.Client:
    """One for each connection pool and key, shared by threads. The SDK's own retries stay off, as they are by default.

    Vertex AI is shut out, which the environment could switch on.  The SDK would
    also make ready to talk in two other ways, and read all certificates for
    each: they get a context that trusts nobody.
    """
    unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client: genai.Client = _sdk().Client(
        api_key=key,
        enterprise=False,
        http_options={
            "base_url": base_url,
            "httpx_client": http_client,
            "async_client_args": {"verify": unused, "ssl": unused},
        },
    )
    return client


def _config(body: Mapping[str, Json], timeout: httpx2.Timeout) -> Any:
    """The body as it stands, its answer unread, and nothing done by the SDK itself: no calls, no going on."""
    from google.genai import types

    milliseconds = max(1, int((timeout.read or 0) * 1000))
    return types.GenerateContentConfig(
        http_options=types.HttpOptions(timeout=milliseconds, extra_body=dict(body)),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
        should_return_http_response=True,
    )


@contextmanager
def _faults(key: str) -> Iterator[None]:
    """Say the SDK's faults, and those of the connection, in our words. ``key`` is blotted out of them."""
    from google.genai import errors

    try:
        yield
    except errors.APIError as error:
        raise _failure(error, key) from error
    except httpx2.TimeoutException as error:
        raise ProviderTransient("No reply in time.", kind="timeout") from error
    except httpx2.RequestError as error:
        raise ProviderTransient("The connection failed.", kind="connection") from error
    except (ValueError, RecursionError) as error:  # an error's body that the SDK could not read
        raise ProviderTransient("The answer could not be read.", kind="server") from error


def _failure(error: errors.APIError, key: str) -> ProviderError:
    delay = retry_delay(error.details)
    headers = {**(error.response.headers if error.response else {}), **({"retry-after": delay} if delay else {})}
    return failure(error.code, fault_of(error.details), headers=headers, secret=key)
