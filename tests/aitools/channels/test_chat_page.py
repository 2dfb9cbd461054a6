"""The chat page in a browser: what a visitor sees, presses and is spared."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from aitools.models import Conversation, InboundEvent, PendingConfirmation
from aitools.providers import scripted
from aitools.providers.scripted import asks, says
from tests.aitools import desk as parts
from tests.aitools.desk import Desk

ORDER = asks(("make", {"name": "pan", "count": 2}))
YES = re.compile("^(Sí|Yes)$")
PHONE: ViewportSize = {"width": 390, "height": 780}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    # Playwright keeps an event loop in this thread, which Django would take for asynchronous code.
    with pytest.MonkeyPatch.context() as patched, sync_playwright() as playwright:
        if not found and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("no Chromium here")
        patched.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, desk: Desk, live_server: LiveServer, settings: Settings) -> Iterator[Page]:
    """The open page of one visitor, on a phone, in English. Errors on the page fail the test."""
    settings.DEMO = True
    context = browser.new_context(viewport=PHONE, locale="en-US", base_url=live_server.url)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    opened.goto("/chat/")
    yield opened
    # The server must be done with its last poll before the database is taken away.
    context.route("**/*", lambda route: route.abort())
    opened.wait_for_timeout(300)
    context.close()
    assert errors == []


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Message").fill(text)
    page.keyboard.press("Enter")


def answer(page: Page, desk: Desk, *lines: scripted.Line) -> None:
    """Let the desk work once the page's message has arrived."""
    expect(page.locator(".bubble.waiting")).to_have_count(0)
    page.wait_for_function("document.querySelector('.visitor-side .ticks.sent')")
    with scripted.script(list(lines)):
        desk.drain()


def test_an_order_with_the_button(page: Page, desk: Desk) -> None:
    write(page, "2 panes")
    answer(page, desk, ORDER)
    yes = page.get_by_role("button", name=YES)
    yes.click()

    expect(page.get_by_text(re.compile("→ (Sí|Yes)"))).to_be_visible()
    expect(yes).to_have_count(0)
    expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    answer(page, desk, says("Listo, 2 × pan."))
    expect(page.get_by_text("Listo, 2 × pan.")).to_be_visible()
    assert len(parts.things()) == 1


def test_an_answer_in_one_tab_takes_the_buttons_from_the_other(page: Page, desk: Desk) -> None:
    write(page, "2 panes")
    answer(page, desk, ORDER)
    other = page.context.new_page()
    other.goto("/chat/")
    expect(other.get_by_role("button", name=YES)).to_be_visible()
    page.get_by_role("button", name=YES).click()

    expect(other.get_by_text(re.compile("→ (Sí|Yes)"))).to_be_visible()
    expect(other.get_by_role("button", name=YES)).to_have_count(0)


def test_a_question_that_expires_loses_its_buttons_in_the_open_page(page: Page, desk: Desk) -> None:
    write(page, "2 panes")
    answer(page, desk, ORDER)
    expect(page.get_by_role("button", name=YES)).to_be_visible()
    PendingConfirmation.objects.update(state=PendingConfirmation.State.EXPIRED)

    expect(page.get_by_text("No longer open")).to_be_visible()
    expect(page.get_by_role("button", name=YES)).to_have_count(0)


def test_a_double_click_is_one_message(page: Page) -> None:
    page.get_by_role("textbox", name="Message").fill("2 panes")
    page.get_by_role("button", name="Send").dblclick()

    expect(page.locator(".visitor-side .ticks.sent")).to_have_count(1)
    assert InboundEvent.objects.count() == 1


def test_words_written_without_a_connection_are_kept_and_sent_in_order(page: Page) -> None:
    page.context.set_offline(True)
    write(page, "uno")
    write(page, "dos")
    expect(page.get_by_role("alert")).to_contain_text("No connection")
    expect(page.locator(".bubble.waiting")).to_have_count(2)

    page.context.set_offline(False)

    expect(page.locator(".bubble.waiting")).to_have_count(0, timeout=10_000)
    assert list(InboundEvent.objects.order_by("id").values_list("text", flat=True)) == ["uno", "dos"]
    expect(page.get_by_role("alert")).to_be_hidden(timeout=10_000)


def test_unsent_words_survive_a_reload(page: Page) -> None:
    page.route("**/chat/messages", lambda route: route.abort())
    write(page, "2 panes")
    expect(page.locator(".bubble.waiting")).to_have_count(1)
    page.get_by_role("textbox", name="Message").fill("y un caf")
    page.unroute("**/chat/messages")
    page.reload()

    expect(page.locator(".visitor-side .ticks.sent")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Message")).to_have_value("y un caf")


def test_a_message_that_is_too_long_comes_back_to_be_shortened(page: Page) -> None:
    write(page, "x" * 5000)

    expect(page.get_by_role("alert")).to_contain_text("at most 4096")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("x" * 5000)
    expect(page.locator(".visitor-side")).to_have_count(0)


def test_words_are_never_markup(page: Page, desk: Desk) -> None:
    write(page, "<img src=x onerror=alert(1)> *negrita* 2*3*4 snake_case_name")

    bubble = page.locator(".visitor-side .words")
    expect(bubble).to_have_text("<img src=x onerror=alert(1)> negrita 2*3*4 snake_case_name")
    expect(bubble.locator("strong")).to_have_text("negrita")
    expect(bubble.locator("img, em")).to_have_count(0)


def test_a_screen_reader_hears_who_speaks_and_only_what_is_new(page: Page, desk: Desk) -> None:
    log = page.get_by_role("log")
    expect(log).to_have_attribute("aria-live", "polite")
    write(page, "hola")
    answer(page, desk, says("¿Qué te gustaría?"))

    expect(log.get_by_role("listitem").last).to_contain_text("¿Qué te gustaría?")
    expect(log.locator(".visitor-side")).to_contain_text("You: ")
    expect(page.get_by_role("img", name="Read")).to_be_visible()


def test_the_keyboard_reaches_everything(page: Page) -> None:
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Your name")).to_be_focused()
    page.keyboard.type("Ana")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Menu")).to_be_focused()
    write(page, "hola")

    expect(page.locator(".visitor-side .ticks.sent")).to_have_count(1)
    assert Conversation.objects.get().profile_name == "Ana"


def test_a_new_conversation(page: Page, desk: Desk) -> None:
    page.get_by_role("button", name="Menu").click()
    with page.expect_response(lambda response: response.status == 202):
        page.get_by_role("button", name="New conversation").click()
    desk.drain()

    expect(page.locator(".note", has_text="New conversation")).to_have_count(1)
    expect(page.locator(".desk-side .words")).to_have_count(1)


def test_the_other_language_is_one_click_away(page: Page) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Español").click()

    expect(page.locator("html")).to_have_attribute("lang", "es")
    with translation.override("es"):
        expect(page.locator("textarea")).to_have_attribute("placeholder", translation.gettext("Message"))
