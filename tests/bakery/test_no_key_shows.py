"""Keys are used and seen nowhere: not in logs, rows, pages, error reports or representations."""

from __future__ import annotations

import base64
import io
import itertools
import logging
import uuid
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.conf import settings as in_force
from django.contrib import admin
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils.log import AdminEmailHandler
from django.views.debug import technical_500_response
from pytest_django import Settings

from aitools import behaviour, keyring, queue
from aitools.models import BotProfile, ModelEndpoint
from aitools.providers import http
from aitools.providers.anthropic import AnthropicProvider
from aitools.providers.scripted import asks, says
from bakery import logging as log_lines
from orders.models import Order
from tests.aitools.desk import Desk
from tests.forms import filled
from tests.orders.factories import load_sample
from tests.wire import whatsapp as meta
from tests.wire.vendors import API_KEY, vendor_server
from tests.wire.whatsapp import buttons_of, message, press, signed_post

#: One that the vendor takes, one that it refuses, one that nobody uses.
TAKEN, REFUSED, NAMED = API_KEY, "sk-marker-refused-by-the-vendor", "sk-marker-in-a-variable"
TWILIO_TOKEN = "marker-of-twilio-token"
TYPED = "sk-marker-typed-into-a-form"
ENVIRONMENT = [NAMED, TWILIO_TOKEN, meta.TOKEN, meta.APP_SECRET, meta.VERIFY_TOKEN]
MARKERS = (TAKEN, REFUSED, TYPED, *ENVIRONMENT)
ANA = "12025550141"
ORDER = asks(("create_order", {"items": [{"product": "croissant", "quantity": 2}], "name": "Ana"}))


def assert_none(text: str, where: str) -> None:
    found = [marker for marker in MARKERS if marker in text]
    assert not found, f"{found} in {where}"
    assert not keyring.SEALED.search(text), f"a sealed key in {where}"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What our one handler writes when everything is told, libraries' own tracing included."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    lines = log_lines.configuration(secrets=ENVIRONMENT, readable=False)["formatters"]["lines"]
    handler.setFormatter(lines.pop("()")(**lines))
    root, named = logging.getLogger(), [logging.getLogger(name) for name in log_lines.TALKATIVE]
    before = [(one, one.level) for one in (root, *named)]
    root.addHandler(handler)
    for one in (root, *named):
        one.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    for one, level in before:
        one.setLevel(level)


@pytest.fixture
def shop(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every secret is a marker."""
    settings.SECRETS_KEY = (base64.b64encode(b"m" * 32).decode(),)
    settings.ENVIRONMENT_SECRETS = ENVIRONMENT
    settings.WHATSAPP_PHONE_NUMBER_ID, settings.WHATSAPP_TOKEN = meta.PHONE_NUMBER_ID, meta.TOKEN
    settings.WHATSAPP_APP_SECRET, settings.WHATSAPP_VERIFY_TOKEN = meta.APP_SECRET, meta.VERIFY_TOKEN
    settings.TWILIO_AUTH_TOKEN = TWILIO_TOKEN
    settings.REDIS_PREFIX = f"{in_force.REDIS_PREFIX}{uuid.uuid4()}:"
    monkeypatch.setenv("MARKER_API_KEY", NAMED)


@pytest.fixture
def ordered(
    log: io.StringIO,
    shop: None,
    transactional_db: None,
    client: Client,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Client:
    """Ana has ordered by WhatsApp; the first model's key was refused, the second's taken. The owner's browser."""
    load_sample()
    desk = Desk(channel="whatsapp_cloud", address=f"+{ANA}")
    monkeypatch.setattr(queue, "publish", desk.publish)
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(User.objects.create_superuser("olga"))
    with vendor_server([ORDER, says("¡Listo!")]) as vendor, meta.graph_server() as server:
        graph = server.fresh()
        settings.WHATSAPP_API_BASE_URL = graph.base_url
        models = [stored(browser, name, key, vendor.url) for name, key in (("first", REFUSED), ("second", TAKEN))]
        named = ModelEndpoint.objects.create(name="third", kind="openai", model="m", key_variable="MARKER_API_KEY")
        profile = BotProfile.objects.create(name="test", settle_seconds=0, endpoint=models[0])
        profile.fallbacks.set([models[1], named])
        assert signed_post(client, message(ANA, text={"body": "2 croissants"})).status_code == 200
        desk.drain()
        signed_post(client, press(buttons_of(graph.messages[0])[0], ANA))
        desk.drain()
        assert graph.texts[-1] == "¡Listo!"
    http.close_clients()
    assert Order.objects.count() == 1
    return browser


def stored(browser: Client, name: str, key: str, url: str) -> ModelEndpoint:
    """A model entered by staff, with its key."""
    page = reverse("admin:aitools_modelendpoint_add")
    data = filled(browser.get(page).content.decode(), "modelendpoint_form")
    entered = {"name": name, "kind": "anthropic", "model": "m", "base_url": url, "new_key": key}
    answer = browser.post(page, data | {field: [value] for field, value in entered.items()})
    assert answer.status_code == 302
    return ModelEndpoint.objects.get(name=name)


def test_a_whole_order_leaves_no_key_anywhere(ordered: Client, log: io.StringIO) -> None:
    assert ModelEndpoint.objects.get(name="first").broken_at is not None
    models = ModelEndpoint.objects.order_by("pk")
    assert [behaviour.from_row(row).api_key for row in models] == [REFUSED, TAKEN, NAMED]

    tables = dict(rows())
    assert {model._meta.db_table for model in apps.get_models()} <= tables.keys()
    for table, text in tables.items():
        found = [marker for marker in MARKERS if marker in text]
        assert not found, f"{found} in {table}"
    for url, page in pages(ordered):
        assert_none(page, url)
    for row in models:
        endpoint = behaviour.from_row(row)
        shown = [repr(row), repr(endpoint), str(endpoint), repr(AnthropicProvider(endpoint)), repr(behaviour.current())]
        assert_none("\n".join(shown), "a representation")
    told = log.getvalue()
    assert "send_request_headers" in told  # the libraries' own tracing is in it
    assert_none(told, "the log")


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [True, False])
def test_no_error_report_shows_a_key(shop: None, debug: bool, settings: Settings) -> None:
    settings.DEBUG = debug
    settings.ADMINS = [("Olga", "olga@example.com")]
    row = ModelEndpoint.objects.create(name="first", kind="anthropic")
    ModelEndpoint.objects.update(sealed_key=keyring.seal(REFUSED, row.place))
    record = raised(RequestFactory().post("/admin/", {"new_key": TYPED, "name": "first"}))
    assert record.exc_info is not None
    page = technical_500_response(record.request, *record.exc_info).content.decode()  # type: ignore[attr-defined]
    AdminEmailHandler(include_html=True).emit(record)
    (sent,) = mail.outbox
    assert isinstance(sent, EmailMultiAlternatives)
    html = str(sent.alternatives[0][0])
    for name, report in {"the page": page, "the mail": str(sent.body), "the mail's page": html}.items():
        assert "RuntimeError" in report
        assert "first" in report
        assert_none(report, name)
        assert REFUSED[:12] not in report, f"a part of a key in {name}"


def raised(request: HttpRequest) -> logging.LogRecord:
    """A fault amid a form and a request to a model: keys are in variables, in objects and in the error's own words."""
    with pytest.raises(RuntimeError) as caught:
        _save_and_ask(request)
    fault = (caught.type, caught.value, caught.tb)
    record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "failed", (), fault)
    record.request = request
    return record


def _save_and_ask(request: HttpRequest) -> None:
    typed, row = request.POST["new_key"], ModelEndpoint.objects.get()
    sealed, headers = row.sealed_key, {"Authorization": f"Bearer {behaviour.from_row(row).api_key}"}
    wrapped, trimmed = [50 * b" " + headers["Authorization"].encode()], [4070 * "x" + headers["Authorization"]]
    assert wrapped, trimmed
    keyring.hide(typed)
    raise RuntimeError(f"refused: {headers} {sealed} {meta.TOKEN}")


def rows() -> Iterator[tuple[str, str]]:
    """Every table with all of its rows as text."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT coalesce(string_agg(to_jsonb(t)::text, ' '), '') FROM {table} t")
            yield table, cursor.fetchone()[0]


def pages(browser: Client) -> Iterator[tuple[str, str]]:
    """The first page of the admin, each list, and the pages of a row or two of each."""
    yield "index", browser.get(reverse("admin:index")).content.decode()
    for model, site in admin.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        most = 9 if model is ModelEndpoint else 1
        keys = list(itertools.islice(model._default_manager.order_by("pk").values_list("pk", flat=True), most))
        assert site.model is model
        for url in (reverse(f"{name}_changelist"), *(reverse(f"{name}_change", args=[key]) for key in keys)):
            yield url, browser.get(url).content.decode()
        if model is ModelEndpoint:
            for key in keys:
                url = reverse(f"{name}_history", args=[key])
                yield url, browser.get(url).content.decode()
