"""Lists over tables that only grow: as many queries for one row as for many, and never a count."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import translation

from aitools.admin.listing import ReadOnly
from aitools.models import Conversation, OutboundMessage, PendingConfirmation, ToolCall
from tests.aitools.admin import rows

LISTS = ["conversation", "outboundmessage", "pendingconfirmation", "turn", "toolcall", "auditevent"]
READ_ONLY = [
    pytest.param(model, id=model._meta.label_lower)
    for model, page in admin.site._registry.items()
    if isinstance(page, ReadOnly)
]


def fill(count: int) -> None:
    for _ in range(count):
        talk = rows.conversation(profile_name="Ana")
        rows.said(talk, "hola")
        rows.worked(talk)


@pytest.mark.parametrize("name", LISTS)
def test_more_rows_make_no_more_queries(name: str, browser: Client) -> None:
    url = reverse(f"admin:aitools_{name}_changelist")
    fill(2)
    browser.get(url)
    with CaptureQueriesContext(connection) as few:
        assert browser.get(url).status_code == 200
    fill(10)
    with CaptureQueriesContext(connection) as many:
        assert browser.get(url).status_code == 200
    assert len(many) == len(few)


@pytest.mark.parametrize("name", LISTS)
def test_the_table_is_never_counted(name: str, browser: Client) -> None:
    fill(2)
    with CaptureQueriesContext(connection) as queries:
        browser.get(reverse(f"admin:aitools_{name}_changelist"))
    table = f"aitools_{name}"
    counted = [query["sql"] for query in queries if "COUNT(" in query["sql"] and table in query["sql"]]
    # The badge beside "Conversations" counts those that wait, at most a hundred.
    assert [sql for sql in counted if "LIMIT 100" not in sql] == []


@pytest.mark.parametrize("model", READ_ONLY)
def test_records_can_be_neither_added_nor_deleted(model: type, browser: Client) -> None:
    fill(1)
    label = model._meta.label_lower.replace(".", "_")  # type: ignore[attr-defined]
    assert browser.get(reverse(f"admin:{label}_add")).status_code == 403
    row = model.objects.first()  # type: ignore[attr-defined]
    if row is not None:
        assert browser.post(reverse(f"admin:{label}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        assert browser.post(reverse(f"admin:{label}_change", args=[row.pk]), {}).status_code == 403


@pytest.mark.parametrize("name", LISTS)
def test_markup_in_a_name_is_shown_as_text(name: str, browser: Client) -> None:
    talk = rows.conversation(profile_name="<img src=x onerror=alert(1)>")
    rows.said(talk, "<script>alert(2)</script>")
    rows.worked(talk)
    page = browser.get(reverse(f"admin:aitools_{name}_changelist")).content.decode()
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img src=x" not in page
    assert "<script>alert(2)" not in page


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("query", ["kind__exact=%00", "tool=a%00", "q=%00", "%00=1", "at_from=%00", "id__in=%00"])
def test_a_query_that_no_database_takes_breaks_no_list(name: str, query: str, browser: Client) -> None:
    fill(1)
    page = browser.get(f"{reverse(f'admin:aitools_{name}_changelist')}?{query}", follow=True)
    assert page.status_code == 200


def test_records_are_found_by_tool_and_day(browser: Client) -> None:
    rows.worked(rows.conversation(profile_name="Ana"))
    url = reverse("admin:aitools_auditevent_changelist")
    assert "Ana" in browser.get(url, {"kind": "tool.call", "at_from": "2000-01-01"}).content.decode()
    assert "Ana" not in browser.get(url, {"kind": "tool.timeout"}).content.decode()
    assert "Ana" not in browser.get(url, {"at_to": "2000-01-01"}).content.decode()
    assert "Ana" in browser.get(url, {"at_from": "not a day"}).content.decode()
    calls = reverse("admin:aitools_toolcall_changelist")
    assert "Ana" not in browser.get(calls, {"tool": "cancel_order"}).content.decode()


def test_a_day_in_the_filter_is_the_shops_day(browser: Client) -> None:
    from orders.models import Shop

    Shop.objects.create(name="La Espiga", timezone="America/Bogota")
    talk = rows.conversation(profile_name="Ana", last_inbound_at="2026-03-11T02:30:00Z")
    url = reverse("admin:aitools_conversation_changelist")
    assert (
        str(talk)
        in browser.get(url, {"last_inbound_at_from": "2026-03-10", "last_inbound_at_to": "2026-03-10"}).content.decode()
    )
    assert str(talk) not in browser.get(url, {"last_inbound_at_from": "2026-03-11"}).content.decode()


@pytest.mark.parametrize("model", [Conversation, OutboundMessage, PendingConfirmation, ToolCall])
def test_a_page_of_one_row_opens(model: type, browser: Client) -> None:
    fill(1)
    row = model.objects.first()  # type: ignore[attr-defined]
    label = model._meta.label_lower.replace(".", "_")  # type: ignore[attr-defined]
    assert browser.get(reverse(f"admin:{label}_change", args=[row.pk])).status_code == 200


def test_channels_and_languages_are_words(browser: Client) -> None:
    row = rows.conversation(channel="twilio_whatsapp", language="es", needs_staff=True)
    listed = browser.get(reverse("admin:aitools_conversation_changelist")).content.decode()
    opened = browser.get(reverse("admin:aitools_conversation_change", args=[row.pk])).content.decode()
    for html in (listed, opened):
        assert "WhatsApp" in html.split("result_list")[-1]
        assert "Spanish" in html.split("result_list")[-1]
        assert ">twilio_whatsapp<" not in html
    assert "WhatsApp ·" in browser.get(reverse("admin:index")).content.decode()


#: The same word in both languages.
SAME = {"error"}


@pytest.mark.parametrize("name", LISTS)
def test_what_a_page_shows_is_named_in_the_readers_language(name: str) -> None:
    model = apps.get_model("aitools", name)
    page = admin.site._registry[model]
    for column in {*page.list_display, *page.readonly_fields} - SAME:
        with translation.override("es"):
            spanish = str(label_for_field(column, model, page))
        with translation.override("en"):
            assert str(label_for_field(column, model, page)) != spanish, column


@pytest.mark.parametrize("state", PendingConfirmation.State)
def test_every_state_is_told_in_words(state: PendingConfirmation.State, browser: Client) -> None:
    rows.worked(rows.conversation())
    PendingConfirmation.objects.update(state=state)
    page = browser.get(reverse("admin:aitools_pendingconfirmation_changelist"), headers={"accept-language": "es"})
    with translation.override("es"):
        words = str(state.label)
    cell = re.search(r"field-outcome.*?</td>", page.content.decode(), re.DOTALL)
    assert cell is not None
    assert words in cell.group()
    assert words != state.value


def test_no_list_has_two_columns_of_one_name(browser: Client) -> None:
    rows.worked(rows.conversation())
    for name in LISTS:
        columns = browser.get(reverse(f"admin:aitools_{name}_changelist")).context["cl"]
        titles = [str(label_for_field(column, columns.model, columns.model_admin)) for column in columns.list_display]
        assert len(set(titles)) == len(titles), name
