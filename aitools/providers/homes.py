"""Where vendors are. Imports nothing, so that settings may read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Home:
    """Where a vendor is when nobody says otherwise, and whose key it takes.

    ``variables`` begins the names of the environment's variables: ``GROQ`` for
    ``GROQ_API_KEY`` and ``GROQ_BASE_URL``.  ``keyless`` servers ask for no key.
    """

    name: str
    url: str
    variables: str
    keyless: bool = False
