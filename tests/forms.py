"""Reading a page's form as a browser would, to send it back with one thing changed."""

from __future__ import annotations

from html.parser import HTMLParser


class _Fields(HTMLParser):
    def __init__(self, form_id: str) -> None:
        super().__init__()
        self.form_id = form_id
        self.inside = False
        self.data: dict[str, list[str]] = {}
        self.open: str | None = None
        self.select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("id") == self.form_id
        if not self.inside:
            return
        name = given.get("name") or ""
        if tag == "input" and name:
            self._input(given, name)
        elif tag == "textarea" and name:
            self.open = name
            self.data[name] = [""]
        elif tag == "select":
            self.select = name
        elif tag == "option" and self.select and "selected" in given:
            self.data.setdefault(self.select, []).append(given.get("value") or "")

    def _input(self, given: dict[str, str | None], name: str) -> None:
        kind = given.get("type", "text")
        if kind in ("submit", "button") or (kind in ("checkbox", "radio") and "checked" not in given):
            return
        self.data.setdefault(name, []).append(given.get("value") or ("on" if kind == "checkbox" else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        elif tag == "textarea":
            self.open = None
        elif tag == "select":
            self.select = None

    def handle_data(self, data: str) -> None:
        if self.open:
            self.data[self.open][0] += data.removeprefix("\n")


def filled(html: str, form_id: str) -> dict[str, list[str]]:
    """What a browser would send if the person changed nothing."""
    parser = _Fields(form_id)
    parser.feed(html)
    assert parser.data, f"there is no form {form_id} on the page"
    return {name: values for name, values in parser.data.items() if "__prefix__" not in name}
