"""Staff's own wording is checked before it is kept: nothing customers must see can get lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from aitools.overrides import LABEL_CHARACTERS, TEXTS, fault_in, fill


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("confirm", "Voy a {title}:{lines}\n¿Le doy?"),
        ("confirm", "{lines}{title}"),
        ("hint", "(sí/no)"),
        ("yes", "¡Dale!"),
        ("no", "x" * LABEL_CHARACTERS),
        ("heads_up", "Ya hice {title}"),
        ("heads_up", "Ya hice {title}: {result}"),
        ("answered", "Recibido."),
        ("answered", "Recibido: {answer}"),
        ("expired", "Se acabó el tiempo.\nEscribe otra vez."),
        ("declined", "To cancel the whole order, say so."),
    ],
)
def test_a_wording_that_keeps_what_counts_is_accepted(name: str, text: str) -> None:
    assert fault_in(name, text) is None


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("confirm", "¿Confirmas?", "Add {title}, {lines}"),
        ("confirm", "Voy a {title}. ¿Confirmas?", "Add {lines}"),
        ("confirm", "Voy a {title}{lines}{total}", "Take out {total}: only {title}, {lines}"),
        ("confirm", "Voy a {title}{lines}{lines}", "Write {lines} only once"),
        ("confirm", "Voy a {title}{lines} {", "braces"),
        ("confirm", "Voy a {title}{lines} {}", "braces"),
        ("confirm", "Voy a {{title}}{lines}", "braces"),
        ("confirm", "Voy a {title!r}{lines}", "exactly like that"),
        ("confirm", "Voy a {title:>9}{lines}", "exactly like that"),
        ("confirm", "Voy a {title.__class__}{lines}", "exactly like that"),
        ("confirm", "Voy a {0}{title}{lines}", "Take out {0}"),
        ("confirm", "Voy a %(title)s%(lines)s", "Add {title}, {lines}"),
        ("confirm", "{Title}{lines}", "Take out {Title}"),
        ("hint", "{title}", "nothing is put in here"),
        ("hint", "(sí/no) {", "nothing is put in here"),
        ("hint", "(sí/\nno)", "in one line"),
        ("yes", "x" * 21, "Use at most 20 characters; these are 21"),
        ("yes", "Sí\nclaro", "in one line"),
        ("no", "   ", "delete this row"),
        ("expired", "", "delete this row"),
        ("expired", "x" * 501, "Use at most 500"),
        ("hint", "(yes/cancel)", "Take out “cancel”"),
        ("hint", "(YES or STOP)", "Take out “STOP”"),
        ("no", "Cancel", "Take out “Cancel”"),
        ("confirm", "{title}{lines} Reply YES or QUIT", "Take out “QUIT”"),
        ("heads_up", "Ya hice eso: {result}", "Add {title}"),
        ("nothing", "Hola", "no text of this name"),
    ],
)
def test_a_wording_that_does_not_is_refused_with_what_to_do(name: str, text: str, says: str) -> None:
    assert says in (fault_in(name, text) or "")


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_its_placeholders_alone_is_good_for_every_name(name: str) -> None:
    text = "Hola" + "".join(f"{{{one}}}" for one in TEXTS[name].placeholders)
    assert fault_in(name, text) is None


@given(name=st.sampled_from(sorted(TEXTS)), text=st.text(st.sampled_from("{}titlelinesansweresult .!:"), max_size=40))
def test_a_wording_that_passes_never_shows_a_brace_or_loses_a_value(name: str, text: str) -> None:
    if fault_in(name, text) is None:
        values = {one: f"<{one}>" for one in TEXTS[name].placeholders}
        filled = fill(text, values)
        assert "{" not in filled
        assert all(values[one] in filled for one in TEXTS[name].required)


def test_what_is_put_in_is_not_looked_at_again() -> None:
    assert fill("{title}{lines}", {"title": "{lines}", "lines": "\n• {title}"}) == "{lines}\n• {title}"


def test_lines_bring_their_own_line_break() -> None:
    values = {"title": "Pedir", "lines": "\n• Pan"}
    assert fill("{title}\n{lines}\n¿Va?", values) == fill("{title}{lines}\n¿Va?", values) == "Pedir\n• Pan\n¿Va?"
    assert fill("{title}\n{lines}\n¿Va?", values | {"lines": ""}) == "Pedir\n¿Va?"
