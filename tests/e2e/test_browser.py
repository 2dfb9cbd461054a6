"""A newcomer's way: order on the chat page, confirm, find the order in the admin. Real processes, real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browser import DESKTOP, NARROW, Visitor, chromium, sign_in, visiting, watched
from tests.e2e.stack import Stack

ORDER = "quiero 2 croissants y un café"
UNREACHABLE = "ERR_CONNECTION_REFUSED"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        if found is None:
            pytest.skip("no Chromium is installed: make browser")
        yield found


@pytest.fixture(scope="module", autouse=True)
def worker(stack: Stack) -> Iterator[None]:
    process = stack.start_worker()
    yield
    stack.stop(process)


@pytest.fixture
def visitor(browser: Browser, stack: Stack) -> Iterator[Visitor]:
    """Somebody new on the page, with a phone. An error on their console fails the test."""
    with visiting(browser, stack.url) as arrived:
        yield arrived
    assert arrived.complaints == []


@pytest.fixture
def admin(browser: Browser, stack: Stack) -> Iterator[Page]:
    """The admin's first page, signed in. An error on its console fails the test."""
    context = browser.new_context(base_url=stack.url, locale="es-CO", viewport=DESKTOP)
    complaints: list[str] = []
    page = watched(context.new_page(), complaints)
    sign_in(page, stack.url)
    yield page
    context.close()
    assert complaints == []


def test_an_order_from_the_first_word_to_the_kitchen(stack: Stack, visitor: Visitor, admin: Page) -> None:
    visitor.write(ORDER)
    question = visitor.hears(1)
    assert "2 × Croissant" in question
    assert re.search(r"1 × Café", question)
    visitor.button("Sí").click()
    reply = visitor.hears(2)
    ((number, total),) = orders(stack, visitor)
    assert number in reply
    assert total in question
    expect(visitor.said.first.locator(".answered")).to_have_text("→ Sí")
    expect(visitor.page.get_by_role("group")).to_have_count(0)

    # Shortly before the shop's midnight the first pick-up time is tomorrow's.
    admin.goto("/admin/" if is_for_today(stack, number) else "/admin/orders/order/")
    line = admin.locator("li, tr").filter(has_text=re.compile(rf"{number}\b")).last
    expect(line).to_contain_text("2 × Croissant")
    expect(line).to_contain_text(total)
    line.get_by_role("link").first.click()
    sheet = admin.locator(".desk-panel")
    expect(sheet.locator(".desk-lines tbody tr")).to_have_count(2)
    expect(sheet.locator(".desk-total")).to_contain_text(total)
    expect(sheet.locator(".desk-history li")).to_have_count(1)

    admin.goto("/admin/aitools/auditevent/")
    told = admin.locator("#result_list").inner_text()
    for event in ("tool.confirm.requested", "tool.confirm.approved", "tool.call", "tool.result"):
        assert event in told
    assert "create_order" in told


def test_a_typed_yes_is_as_good_as_the_button(stack: Stack, visitor: Visitor) -> None:
    visitor.write(ORDER)
    visitor.hears(1)
    visitor.write("sí")
    reply = visitor.hears(2)
    ((number, _),) = orders(stack, visitor)
    assert number in reply
    expect(visitor.said.first.locator(".answered")).to_have_text("→ Sí")


def test_a_no_orders_nothing(stack: Stack, visitor: Visitor) -> None:
    visitor.write(ORDER)
    visitor.hears(1)
    visitor.button("No").click()
    visitor.hears(2)
    assert orders(stack, visitor) == []
    expect(visitor.said.first.locator(".answered")).to_have_text("→ No")


def test_a_button_pressed_twice_is_one_order(stack: Stack, visitor: Visitor) -> None:
    visitor.write(ORDER)
    visitor.hears(1)
    visitor.button("Sí").evaluate("(button) => { button.click(); button.click(); }")
    expect(visitor.said.nth(1)).to_be_visible()
    stack.until(lambda: idle(stack, visitor), "an idle conversation")
    assert len(orders(stack, visitor)) == 1


def test_every_tab_of_a_visitor_shows_the_same_talk(visitor: Visitor) -> None:
    other = visitor.another_tab()
    visitor.write(ORDER)
    asked = visitor.hears(1)
    assert other.hears(1) == asked
    other.button("Sí").click()
    assert visitor.hears(2) == other.hears(2)
    for tab in (visitor, other):
        expect(tab.said.first.locator(".answered")).to_have_text("→ Sí")


def test_an_order_with_the_keyboard_alone(stack: Stack, visitor: Visitor) -> None:
    keys = visitor.page.keyboard
    expect(visitor.field).to_be_focused()
    keys.type(ORDER)
    keys.press("Enter")
    visitor.hears(1)
    keys.press("Shift+Tab")
    keys.press("Shift+Tab")
    expect(visitor.button("Sí")).to_be_focused()
    assert visitor.button("Sí").evaluate("(button) => getComputedStyle(button).outlineStyle") != "none"
    keys.press("Enter")
    visitor.hears(2)
    expect(visitor.field).to_be_focused()
    assert len(orders(stack, visitor)) == 1


def test_a_narrow_phone_never_scrolls_sideways(browser: Browser, stack: Stack) -> None:
    with visiting(browser, stack.url, viewport=NARROW) as visitor:
        visitor.write(f"{ORDER} {'w' * 200}")
        expect(visitor.said.first).to_be_visible()
        assert overhang(visitor.page) == 0
        visitor.page.locator("#menu").click()
        assert overhang(visitor.page) == 0


def test_in_english(browser: Browser, stack: Stack) -> None:
    with visiting(browser, stack.url, locale="en-US") as visitor:
        expect(visitor.page.locator("html")).to_have_attribute("lang", "en")
        visitor.write("I want 2 croissants and a coffee please")
        assert "2 × Croissant" in visitor.hears(1)
        visitor.button("Yes").click()
        reply = visitor.hears(2)
        ((number, _),) = orders(stack, visitor)
    assert number in reply
    assert visitor.complaints == []


def test_nobody_sees_anothers_chat(browser: Browser, stack: Stack, visitor: Visitor) -> None:
    visitor.write(ORDER)
    visitor.hears(1)
    with visiting(browser, stack.url) as stranger:
        expect(stranger.page.locator("#presence")).not_to_be_empty()
        assert stranger.page.evaluate("fetch('/chat/messages').then((a) => a.json())")["messages"] == []
    outside = browser.new_context(base_url=stack.url)
    assert outside.request.get("/chat/messages").status == 403
    outside.close()


def test_what_is_written_without_a_server_goes_out_when_it_is_back(stack: Stack, visitor: Visitor) -> None:
    expect(visitor.page.locator("#log")).to_have_attribute("aria-live", "polite")
    stack.stop(next(process for process in stack.processes if "gunicorn" in str(process.args)))
    visitor.write(ORDER)
    expect(visitor.page.locator("#trouble")).to_be_visible()
    expect(visitor.own).to_contain_text(ORDER)
    stack.start_web()
    assert "2 × Croissant" in visitor.hears(1)
    expect(visitor.own).to_have_count(1)
    expect(visitor.page.locator("#trouble")).to_be_hidden()
    # The console names each attempt that found no server; any other line would fail the test.
    visitor.complaints[:] = [line for line in visitor.complaints if UNREACHABLE not in line]


def test_everything_on_the_page_has_a_name_and_a_language(visitor: Visitor) -> None:
    visitor.write(ORDER)
    visitor.hears(1)
    assert visitor.page.evaluate(NAMELESS) == []
    assert visitor.page.evaluate("[...document.images].filter((image) => !image.hasAttribute('alt')).length") == 0
    expect(visitor.page.locator("html")).to_have_attribute("lang", "es")
    expect(visitor.page.get_by_role("log")).to_have_attribute("aria-live", "polite")
    expect(visitor.page.locator("h1")).to_have_count(1)
    assert visitor.page.evaluate(SMALL) == []


def test_the_log_holds_no_word_of_a_customer(stack: Stack, visitor: Visitor) -> None:
    visitor.write("quiero 2 croissants para Clotilde Zubizarreta")
    visitor.hears(1)
    lines = "".join(path.read_text() for path in stack.logs.glob("*.log"))
    assert "Listening at" in lines
    assert "Zubizarreta" not in lines
    assert "croissants" not in lines


#: What can be operated without a name that a screen reader could say.
NAMELESS = """
[...document.querySelectorAll('button, input:not([type=hidden]), textarea, a[href]')]
  .filter((one) => one.checkVisibility())
  .filter((one) => !(one.labels?.length || one.innerText.trim() || one.textContent.trim() || one.ariaLabel))
  .map((one) => one.outerHTML)
"""
#: What can be pressed but is smaller than a fingertip, links and skipped ones aside.
SMALL = """
[...document.querySelectorAll('button')]
  .filter((one) => one.checkVisibility())
  .filter((one) => { const box = one.getBoundingClientRect(); return box.width < 44 || box.height < 44; })
  .map((one) => one.outerHTML)
"""


def overhang(page: Page) -> int:
    """Pixels by which the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def orders(stack: Stack, visitor: Visitor) -> list[tuple[str, str]]:
    """(number, total as the shop writes it) of the visitor's orders, by plain SQL."""
    rows = stack.sql(
        """SELECT b.letter || '-' || o.day_no, o.total FROM orders_order o
           JOIN orders_branch b ON b.id = o.branch_id JOIN aitools_toolcall c ON c.id = o.tool_call_id
           JOIN aitools_turn t ON t.id = c.turn_id
           JOIN aitools_inboundevent e ON e.conversation_id = t.conversation_id
           WHERE e.provider_id LIKE %s ORDER BY o.id""",
        f"%:{visitor.message_id()}",
    )
    return [(number, f"${total:,.0f}".replace(",", ".")) for number, total in rows]


def is_for_today(stack: Stack, number: str) -> bool:
    query = """SELECT o.business_date = (aitools_now() AT TIME ZONE b.timezone)::date FROM orders_order o
               JOIN orders_branch b ON b.id = o.branch_id WHERE b.letter || '-' || o.day_no = %s"""
    return bool(stack.one(query, number))


def idle(stack: Stack, visitor: Visitor) -> bool:
    query = """SELECT c.read_seq = c.inbox_seq AND c.lease_token IS NULL FROM aitools_conversation c
               JOIN aitools_inboundevent e ON e.conversation_id = c.id WHERE e.provider_id LIKE %s"""
    return bool(stack.one(query, f"%:{visitor.message_id()}"))
