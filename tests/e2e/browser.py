"""A customer and a shopkeeper with a browser: they see a page, press keys and buttons."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect, sync_playwright

from tests.e2e.stack import PASSWORD, USER

#: As a phone and as a desk; a narrow phone is what most people have.
PHONE = ViewportSize(width=390, height=780)
NARROW = ViewportSize(width=360, height=700)
DESKTOP = ViewportSize(width=1280, height=800)
#: Lives where the sample bakery is, so that both clocks say the same.
SHOP_VISITOR: Mapping[str, Any] = {"locale": "es-CO", "timezone_id": "America/Bogota", "viewport": PHONE}
#: An answer takes a poll, a turn and a poll; on a busy machine, much longer.
PATIENCE_MS = 20_000

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--no-sandbox",
    "--disable-dev-shm-usage",
    # The browser's own traffic: none of it belongs to a test.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Browser | None]:
    """A headless Chromium, the system's or playwright's own; None when there is neither."""
    expect.set_options(timeout=PATIENCE_MS)
    installed = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    with sync_playwright() as playwright:
        if installed is None and not Path(playwright.chromium.executable_path).exists():
            yield None
            return
        browser = playwright.chromium.launch(executable_path=installed, args=_FLAGS)
        yield browser
        browser.close()


def watched(page: Page, complaints: list[str]) -> Page:
    """The page, adding to ``complaints`` what its console calls an error: exceptions, CSP, what failed to load."""
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    return page


@dataclass
class Visitor:
    """Somebody on the chat page. ``complaints`` are the errors of their console."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        watched(self.page, self.complaints)
        self.page.goto("/chat/")

    def another_tab(self) -> Visitor:
        """The same visitor, in a second tab."""
        return Visitor(self.page.context.new_page(), self.complaints)

    def write(self, text: str) -> None:
        self.field.fill(text)
        self.page.keyboard.press("Enter")

    @property
    def field(self) -> Locator:
        return self.page.locator("#text")

    @property
    def said(self) -> Locator:
        """What the desk said, oldest first."""
        return self.page.locator("#log .desk-side")

    @property
    def own(self) -> Locator:
        """What the visitor said, oldest first."""
        return self.page.locator("#log .visitor-side")

    def button(self, title: str) -> Locator:
        return self.page.get_by_role("button", name=title, exact=True)

    def hears(self, count: int) -> str:
        """The newest of ``count`` replies, once all are there."""
        expect(self.said).to_have_count(count)
        return self.said.nth(count - 1).locator(".words").inner_text()

    def message_id(self) -> str:
        """The id of the visitor's newest message, by which our rows know them."""
        state = self.page.evaluate("fetch('/chat/messages').then((answer) => answer.json())")
        return str([one["id"] for one in state["messages"] if one["side"] == "visitor"][-1])


@contextmanager
def visiting(browser: Browser, url: str, **options: Any) -> Iterator[Visitor]:
    """A visitor of the chat page in a browser of their own."""
    context = browser.new_context(**{**SHOP_VISITOR, "base_url": url, **options})
    try:
        yield Visitor(context.new_page())
    finally:
        context.close()


def sign_in(page: Page, url: str) -> None:
    """Through the admin's own form, as the demo's user."""
    page.goto(f"{url}/admin/")
    page.locator("#id_username").fill(USER)
    page.locator("#id_password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{url}/admin/")
