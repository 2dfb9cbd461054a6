"""Trying a model out: a round trip over the vendors' wire, and what is said of each fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import translation

from aitools import behaviour, caps, endpoint_test, endpointmarks
from aitools.admin import faults
from aitools.endpoint_test import Verdict
from aitools.models import ModelEndpoint
from aitools.providers import failures
from aitools.providers.scripted import asks, says
from tests.wire.vendors import DROPPED, SERVER_ERROR, Fault, Line, Raw, VendorServer, vendor_server

SUM = asks(("add", {"a": 17, "b": 25}))
ANSWER = says("It is 42.")
PRICES = {"input_price": Decimal(3), "output_price": Decimal(15)}
KEY = "test-vendor-key-0001"

Test = Callable[..., str]


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    yield
    endpointmarks.forget_refusals()


@pytest.fixture
def endpoint(transactional_db: None) -> ModelEndpoint:
    return ModelEndpoint.objects.create(
        name="Claude", kind="anthropic", model="claude-test", **PRICES, timeout_seconds=30
    )


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[VendorServer]:
    with vendor_server() as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


@pytest.fixture
def tested(endpoint: ModelEndpoint, wire: VendorServer, admin_client: Client) -> Test:
    """Presses the button with these answers of the vendor; the page that comes."""

    def press(*lines: Line) -> str:
        wire.say(*lines)
        url = reverse("admin:aitools_modelendpoint_test", args=[endpoint.pk])
        return admin_client.post(url, headers={"accept-language": "en"}).content.decode()

    return press


class TestRoundTrip:
    def test_a_call_and_words_show_that_it_works(self, tested: Test, wire: VendorServer) -> None:
        page = tested(SUM, ANSWER)
        assert "It works" in page
        assert "It is 42." in page
        assert "US$" in page
        assert "2 requests" in page
        assert wire.received[1].results == ["42"]
        assert KEY not in page

    def test_success_mends_what_was_broken(self, tested: Test, endpoint: ModelEndpoint) -> None:
        ModelEndpoint.objects.update(broken_at="2026-01-01T00:00Z", broken_reason="HTTP 401")
        tested(SUM, ANSWER)
        endpoint.refresh_from_db()
        assert (endpoint.broken_at, endpoint.broken_reason) == (None, "")

    def test_words_without_a_call_are_not_enough(self, tested: Test) -> None:
        assert "did not call the tool" in tested(says("It is 42."))

    def test_two_calls_and_no_words_are_not_enough(self, tested: Test) -> None:
        assert "said nothing about the result" in tested(SUM, asks(("add", {"a": 1, "b": 1})))

    def test_a_call_that_can_not_be_run_is_told(self, tested: Test) -> None:
        assert "can&#x27;t be run" in tested(asks(("add", {"a": "many"})), says("It is many."))


REFUSED: Mapping[str, tuple[Line, str]] = {
    "auth": (Fault(401, "authentication_error"), "does not take the key"),
    "not_found": (Fault(404, "not_found_error"), "does not know this model"),
    "quota": (Fault(402, "billing_error"), "no credit left"),
    "rate_limit": (Fault(429, "rate_limit_error"), "no more requests just now"),
    "server": (SERVER_ERROR, "broken at the vendor"),
    "connection": (DROPPED, "Nobody answers"),
    "context_overflow": (Fault(413, "request_too_large"), "too long for this model"),
    "invalid_request": (Fault(400, "invalid_request_error"), "requests of this form"),
    "something else": (Raw(b"<html>"), "broken at the vendor"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_fault_is_told_in_plain_words_and_marks_nothing(kind: str, tested: Test, endpoint: ModelEndpoint) -> None:
    line, words = REFUSED[kind]
    page = tested(line)
    assert words in page
    assert KEY not in page
    endpoint.refresh_from_db()
    assert endpoint.broken_at is None


def test_every_kind_of_fault_has_words_of_its_own() -> None:
    kinds = {*failures._BY_CODE.values(), *failures._BY_STATUS.values(), *failures._BY_PHRASE.values()}
    table = faults._table()
    assert kinds | failures.TRANSIENT | {"unreadable"} <= table.keys()
    assert len({what for what, _advice in table.values()}) == len(table)


def test_a_key_that_can_not_be_opened_is_said_so() -> None:
    with translation.override("en"):
        assert "can't be opened" in faults.explained("auth", behaviour.CLOSED_KEY).what


@pytest.mark.parametrize(
    ("line", "vendors"),
    [(Fault(401, "authentication_error", "invalid key"), True), (Fault(500, "api_error", ""), False), (DROPPED, False)],
)
def test_only_the_vendors_own_words_are_said_to_be_its(line: Line, vendors: bool, tested: Test) -> None:
    page = tested(line)

    assert ("The vendor said" in page) is vendors
    assert "0 requests" not in page


def test_a_model_that_refuses_tools_is_asked_for_a_plan(endpoint: ModelEndpoint, wire: VendorServer) -> None:
    refuses = Fault(400, "invalid_request_error", "this model does not support tools")
    plan = says('{"action": "call", "calls": [{"tool": "add", "args": {"a": 17, "b": 25}}]}')
    wire.say(refuses, plan, says('{"action": "reply", "reply": "It is 42."}'))
    report = endpoint_test.try_out(behaviour.from_row(endpoint))
    assert (report.verdict, report.by_plan) == (Verdict.WELL, True), report
    endpoint.refresh_from_db()
    assert endpoint.refuses_tools


class TestWhoAndWhen:
    def test_one_at_a_time(self, tested: Test, endpoint: ModelEndpoint) -> None:
        caps.stop("being tried", 60, "endpoint-test", str(endpoint.pk))
        assert "in a moment" in tested()
        caps.go_on("endpoint-test", str(endpoint.pk))
        assert "It works" in tested(SUM, ANSWER)

    def test_only_who_may_change_it(self, endpoint: ModelEndpoint, client: Client) -> None:
        user = User.objects.create_user("paco", is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="view_modelendpoint"))
        client.force_login(user)
        page = client.get(reverse("admin:aitools_modelendpoint_change", args=[endpoint.pk])).content.decode()
        assert 'id="endpoint_test"' not in page
        assert client.post(reverse("admin:aitools_modelendpoint_test", args=[endpoint.pk])).status_code == 403

    def test_only_by_the_button(self, endpoint: ModelEndpoint, admin_client: Client) -> None:
        page = admin_client.get(reverse("admin:aitools_modelendpoint_change", args=[endpoint.pk])).content.decode()
        assert 'id="endpoint_test"' in page
        url = reverse("admin:aitools_modelendpoint_test", args=[endpoint.pk])
        assert admin_client.get(url).status_code == 405
        strict = Client(enforce_csrf_checks=True)
        strict.cookies = admin_client.cookies
        assert strict.post(url).status_code == 403

    def test_our_own_order_taker_needs_no_test(self, endpoint: ModelEndpoint, admin_client: Client) -> None:
        ModelEndpoint.objects.update(kind="offline")
        url = reverse("admin:aitools_modelendpoint_test", args=[endpoint.pk])
        assert admin_client.post(url).status_code == 404
