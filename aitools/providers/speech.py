"""Speech to text, by OpenAI or a server that is compatible with it.

What it costs is counted nowhere: the answers of most servers do not say how
much they heard, and prices are by the minute.
"""

from __future__ import annotations

import openai
import openai.resources.audio.transcriptions  # otherwise imported with the first request, in its time

from aitools.errors import ProviderTransient
from aitools.providers import http
from aitools.providers.adapter import faults_of
from aitools.providers.openai_chat import OpenAIChatProvider
from aitools.providers.payloads import body_of


class Ear(OpenAIChatProvider):
    """Listens instead of reading; the endpoint's ``model`` is the one that hears."""

    def transcribe(self, content: bytes, name: str, mime_type: str, language: str = "") -> str:
        """What is said in a sound, maybe "", within ``endpoint.timeout_seconds`` of wall clock.

        ``name`` ends as files of the type do, by which vendors go; ``language``
        ("es") is a hint, "" for none.  Raises ``ProviderError``.  Not retried,
        and never inside a database transaction.
        """
        if not (self._key or self._vendor.keyless):
            raise self._no_key()
        seconds = self._endpoint.timeout_seconds
        with http.deadline(seconds), faults_of(openai, self._key):
            answer = openai.OpenAI(**self._sdk_options()).audio.transcriptions.with_raw_response.create(
                file=(name, content, mime_type),
                model=self._model,
                language=language or openai.omit,
                response_format="json",
                timeout=http.timeout(seconds),
            )
        text = body_of(answer.http_response).get("text")
        if not isinstance(text, str):
            raise ProviderTransient("The answer has no text.", kind="server")
        return text
