"""Who speaks OpenAI's Chat Completions, and how each differs.

A switch stands here only when a vendor refuses, or loses, what the others take.
None is needed for ``tool_choice``, which vendors refuse or obey each in another
way (LM Studio no named one, llama.cpp none): no tool is ever forced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aitools.providers.homes import Home


@dataclass(frozen=True, slots=True)
class Vendor(Home):
    """One vendor's ways.

    ``echoes`` are the keys of its messages, beside content and calls, that have
    to go back as they came; ``blank_echo`` is the one that it wants on every
    turn, also on one that another model made.  ``short_ids``: call ids are
    nine letters or digits.  ``text_calls``: calls and marks of the chat template
    may stand in the text.  ``formats``: it keeps a text to a JSON Schema.
    """

    max_tokens: str = "max_tokens"
    echoes: frozenset[str] = frozenset()
    blank_echo: str = ""
    short_ids: bool = False
    text_calls: bool = False
    formats: bool = False


#: A server that nobody has described. A key goes back only to the server that sent it, so it surely knows it;
#: ``extra_content`` carries the signatures of Gemini's compatible endpoint.
OTHER = Vendor(
    "the model's server",
    "https://api.openai.com/v1",
    "OPENAI",
    echoes=frozenset({"reasoning_content", "extra_content"}),
    text_calls=True,
)
#: OpenAI's own models go by Responses; those that are asked this way refuse ``max_tokens``.
OPENAI = Vendor("OpenAI", "https://api.openai.com/v1", "OPENAI", max_tokens="max_completion_tokens")

VENDORS: Mapping[str, Vendor] = {
    # Refuses every key that it does not know, ``reasoning_content`` too.
    "groq": Vendor("Groq", "https://api.groq.com/openai/v1", "GROQ", max_tokens="max_completion_tokens"),
    "deepseek": Vendor(
        "DeepSeek",
        "https://api.deepseek.com",
        "DEEPSEEK",
        echoes=frozenset({"reasoning_content"}),
        blank_echo="reasoning_content",
    ),
    "mistral": Vendor("Mistral", "https://api.mistral.ai/v1", "MISTRAL", short_ids=True),
    "openrouter": Vendor(
        "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER", echoes=frozenset({"reasoning_details"})
    ),
    "together": Vendor("Together", "https://api.together.xyz/v1", "TOGETHER", text_calls=True),
    "vllm": Vendor(
        "vLLM",
        "http://127.0.0.1:8000/v1",
        "VLLM",
        keyless=True,
        echoes=frozenset({"reasoning_content"}),
        text_calls=True,
        formats=True,
    ),
    # Its own ids break the templates of Mistral's models.
    "llama_cpp": Vendor(
        "llama.cpp",
        "http://127.0.0.1:8080/v1",
        "LLAMA_CPP",
        keyless=True,
        echoes=frozenset({"reasoning_content"}),
        short_ids=True,
        text_calls=True,
        formats=True,
    ),
    "lm_studio": Vendor(
        "LM Studio",
        "http://127.0.0.1:1234/v1",
        "LM_STUDIO",
        keyless=True,
        text_calls=True,
        formats=True,
    ),
}


def vendor_of(name: str, base_url: str) -> Vendor:
    """The vendor that staff named, else what its address tells. Raises nothing: an unknown name is another server."""
    if not name and base_url.rstrip("/") in ("", OPENAI.url):
        return OPENAI
    return VENDORS.get(name, OTHER)
