"""Fixtures of the shop's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture
def english() -> Iterator[None]:
    """Texts as their English msgids, which are the specification here."""
    with translation.override("en"):
        yield
