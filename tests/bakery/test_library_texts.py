"""The admin's library speaks Spanish by our catalogue, as long as it uses these words."""

from __future__ import annotations

from pathlib import Path

import pytest
import unfold
from django.utils import translation

from bakery.library_texts import TEXTS

with translation.override(None):
    WORDS = [str(text) for text in TEXTS]


@pytest.fixture(scope="module")
def library() -> str:
    """All of its templates and code."""
    folder = Path(unfold.__file__).parent
    files = [path for path in folder.rglob("*") if path.suffix in {".html", ".py"}]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("words", WORDS)
def test_the_library_still_says_it(words: str, library: str) -> None:
    assert f'"{words}"' in library or f"'{words}'" in library
