"""Spanish is complete: every text in the code has a translation, whole and compiled."""

from __future__ import annotations

import gettext
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

PROJECT = Path(__file__).parents[1]
SPANISH = PROJECT / "locale" / "es" / "LC_MESSAGES"
PACKAGES = ("aitools", "bakery", "orders")
KEYWORDS = {**DEFAULT_KEYWORDS, "gettext_lazy": None, "ngettext_lazy": (1, 2), "pgettext_lazy": ((1, "c"), 2)}
# Django turns templates into lines for xgettext; these are the calls in them.
CALL = re.compile(r"""(?:_|n?p?gettext)\((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^()'"])*\)""")

Key = tuple[str, str | None]


@pytest.fixture(scope="module")
def spanish() -> Catalog:
    with (SPANISH / "django.po").open("rb") as file:
        return read_po(file, locale="es")


def first(message_id: str | tuple[str, ...] | list[str]) -> str:
    return message_id if isinstance(message_id, str) else message_id[0]


def written() -> Iterator[tuple[Path, Key]]:
    """Every text marked for translation in our code and templates."""
    for package in PACKAGES:
        for path in (PROJECT / package).rglob("*.py"):
            yield from ((path, key) for key in texts_in(path.read_text()))
    for path in (PROJECT / "templates").rglob("*.html"):
        calls = "\n".join(CALL.findall(templatize(path.read_text())))
        yield from ((path, key) for key in texts_in(calls))


def texts_in(source: str) -> Iterator[Key]:
    for _, message_id, _, context in extract("python", io.BytesIO(source.encode()), keywords=KEYWORDS):
        yield first(message_id), context


def test_every_text_has_a_translation(spanish: Catalog) -> None:
    known = {(first(message.id), message.context) for message in spanish if message.id}
    missing = {(path.name, key[0]) for path, key in written() if key[0] and key not in known}
    assert not missing


def test_templates_are_read_too() -> None:
    assert {path.suffix for path, _ in written()} == {".py", ".html"}


def test_no_translation_is_empty_or_fuzzy(spanish: Catalog) -> None:
    assert [message.id for message in spanish if message.id and (message.fuzzy or not whole(message))] == []


def whole(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, list | tuple) else bool(message.string)


def test_placeholders_survive_translation(spanish: Catalog) -> None:
    faults = [(message.id, list(message.check(spanish))) for message in spanish if message.id]
    assert [fault for fault in faults if fault[1]] == []


def test_the_compiled_catalogue_is_the_written_one(spanish: Catalog) -> None:
    with (SPANISH / "django.mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in spanish:
        if isinstance(message.id, str) and message.id and not message.context:
            assert compiled.gettext(message.id) == message.string
