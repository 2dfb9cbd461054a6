"""`make pictures`: start a desk, order on the chat page, and take the pictures of docs/pictures.

The desk is the one of the end-to-end tests, on a database of its own that is dropped at the end.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from playwright.sync_api import Browser, Page, expect  # noqa: E402

from bakery.local.__main__ import local_folder, provide  # noqa: E402
from tests.e2e.browser import DESKTOP, PHONE, Visitor, chromium, sign_in, visiting  # noqa: E402
from tests.e2e.stack import Stack, running_stack  # noqa: E402

FOLDER = PROJECT / "docs" / "pictures"
ORDER = "Hola, quiero 2 croissants y un café"
#: Who else ordered today, so that the shop's pages are not empty. Names are invented.
OTHERS: Mapping[str, tuple[str, ...]] = {
    "Ana": ("3 pandebonos y 1 milhoja por favor",),
    "Tomás": ("2 panes campesinos", "para mañana a las 9"),
    "Julia": ("una docena de mogollas",),
}
#: Admin page → file.
SHEETS = {
    "/admin/": "admin-today.png",
    "/admin/aitools/auditevent/": "admin-audit.png",
    "/admin/reports/orders/": "report.png",
}


def main() -> None:
    """Write all pictures; exits with 1 and one line when there is no browser."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
    provide(os.environ, local_folder())
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as logs, chromium() as browser, running_stack(Path(logs)) as stack:
        if browser is None:
            sys.exit("pictures: no Chromium is installed: make browser")
        stack.start_worker()
        for name, lines in OTHERS.items():
            with visiting(browser, stack.url) as visitor:
                order(visitor, name, *lines)
        chat_pictures(browser, stack)
        admin_pictures(browser, stack)


def order(visitor: Visitor, name: str, *lines: str) -> None:
    """Write the lines and say yes to what comes of them."""
    visitor.page.locator("#name").evaluate("(field, name) => { field.value = name; }", name)
    for said, line in enumerate(lines, start=1):
        visitor.write(line)
        visitor.hears(said)
    visitor.button("Sí").click()
    visitor.hears(len(lines) + 1)


def chat_pictures(browser: Browser, stack: Stack) -> None:
    """A question on the phone, a finished order on the desktop."""
    with visiting(browser, stack.url, viewport=PHONE, device_scale_factor=2) as visitor:
        visitor.page.locator("#name").evaluate("(field) => { field.value = 'Lucía'; }")
        visitor.write(ORDER)
        visitor.hears(1)
        take(visitor.page, "chat-phone.png")
    with visiting(browser, stack.url, viewport=DESKTOP) as visitor:
        order(visitor, "Lucía", ORDER)
        visitor.write("¿a qué hora cierran?")
        visitor.hears(3)
        take(visitor.page, "chat-desktop.png")


def admin_pictures(browser: Browser, stack: Stack) -> None:
    with signed_in(browser, stack) as page:
        for path, file in SHEETS.items():
            page.goto(f"{stack.url}{path}")
            take(page, file)
        newest = stack.one("SELECT max(id) FROM orders_order")
        page.goto(f"{stack.url}/admin/orders/order/{newest}/change/")
        take(page, "admin-order.png")


@contextmanager
def signed_in(browser: Browser, stack: Stack) -> Iterator[Page]:
    context = browser.new_context(locale="es-CO", viewport=DESKTOP)
    page = context.new_page()
    sign_in(page, stack.url)
    yield page
    context.close()


def take(page: Page, file: str) -> None:
    """The page as it stands, once its fonts are there and nothing moves."""
    expect(page.locator("#dots:visible, [aria-busy=true]")).to_have_count(0)
    page.evaluate("document.fonts.ready")
    path = FOLDER / file
    page.screenshot(path=path, animations="disabled")
    print(f"{path.relative_to(PROJECT)}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
