"""Who is writing: one person, however their number is written."""

from __future__ import annotations

import threading

import pytest
from django.db import transaction

from aitools.tools import ToolContext
from orders import customers
from orders.models import Customer, CustomerContact
from tests.aitools.threads import together, until_somebody_waits_for_a_lock
from tests.orders import factories as make


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+525500000001", "whatsapp:+5215500000001"),
        ("5491100000001", "541100000001"),
        ("5511900000001", "551100000001"),
        ("whatsapp:+573000000001", "+573000000001"),
    ],
)
def test_forms_of_one_number_are_one_customer(one: str, other: str) -> None:
    assert customers.phone_key(one) == customers.phone_key(other) != ""


@pytest.mark.parametrize("address", ["CO.TEST123", "", "b0a1c2d3", "+57", "whatsapp:+57300x000001"])
def test_what_is_no_phone_has_no_key(address: str) -> None:
    assert customers.phone_key(address) == ""


@pytest.mark.django_db
class TestFinding:
    def test_a_number_written_otherwise_finds_the_customer_and_is_remembered_as_it_came(self) -> None:
        first = customers.find_or_create(make.context(address="+525500000001"), "Ana")
        again = make.context(address="whatsapp:+5215500000001", channel="twilio_whatsapp")
        assert customers.find_or_create(again) == first
        assert CustomerContact.objects.filter(customer=first, address="whatsapp:+5215500000001").exists()

    def test_two_visitors_of_the_chat_page_are_two_customers(self) -> None:
        one = customers.find_or_create(make.context(address="aa11", channel="web"), "Ana")
        assert customers.find_or_create(make.context(address="bb22", channel="web"), "Ana") != one

    def test_nobody_is_made_by_looking(self) -> None:
        assert customers.find(make.context()) is None
        assert not Customer.objects.exists()

    def test_a_given_name_is_kept_and_not_replaced(self) -> None:
        with transaction.atomic():
            customers.find_or_create(make.context(), "Ana")
            assert customers.find_or_create(make.context(), "Luis").name == "Ana"

    def test_names_are_one_line(self) -> None:
        assert customers.clean_name(" Ana\n\x00 María\u202e ") == "Ana María"
        assert customers.clean_name("Ana\u202eaíraM\u2069") == "AnaaíraM"
        assert len(customers.clean_name("x" * 500)) == 60

    @pytest.mark.parametrize("profile_name", ["null", "Undefined", "+57 300 000 0001", "...", "\u202e"])
    def test_what_is_no_name_is_asked_for(self, profile_name: str) -> None:
        assert customers.known_name(make.context(name=profile_name), None) == ""

    def test_a_profile_name_is_what_we_call_them_until_they_say_theirs(self) -> None:
        assert customers.known_name(make.context(name="Ana 2"), None) == "Ana 2"


@pytest.mark.django_db
class TestNewAddresses:
    def test_a_customer_with_a_new_number_is_the_same_customer(self) -> None:
        before = customers.find_or_create(make.context(address="+573000000001", channel="whatsapp_cloud"), "Ana")
        customers.address_changed("whatsapp_cloud", "+573000000001", "+573000000002")

        after = customers.find(make.context(address="+573000000002", channel="whatsapp_cloud"))
        assert after == before
        assert Customer.objects.get().phone == "+573000000002"

    @pytest.mark.parametrize("channel", ["whatsapp_cloud", "twilio_sms"])
    @pytest.mark.parametrize("had_new", [False, True])
    def test_who_gets_the_old_number_is_a_stranger(self, channel: str, had_new: bool) -> None:
        ana = customers.find_or_create(make.context(address="+573000000001", channel="whatsapp_cloud"), "Ana")
        customers.find_or_create(make.context(address="+573000000001", channel="twilio_sms"))
        if had_new:
            CustomerContact.objects.create(
                customer=ana, channel="whatsapp_cloud", address="+573000000002", phone_key="573000000002"
            )
        customers.address_changed("whatsapp_cloud", "+573000000001", "+573000000002")

        assert customers.find(make.context(address="+573000000001", channel=channel)) is None
        assert customers.find(make.context(address="+573000000002", channel=channel)) == ana

    def test_another_form_of_the_same_number_loses_no_channel(self) -> None:
        ana = customers.find_or_create(make.context(address="+5215500000001", channel="whatsapp_cloud"), "Ana")
        customers.find_or_create(make.context(address="+525500000001", channel="twilio_sms"))
        customers.address_changed("whatsapp_cloud", "+5215500000001", "+525500000001")

        assert set(ana.contacts.values_list("channel", flat=True)) == {"whatsapp_cloud", "twilio_sms"}

    def test_a_phone_that_staff_wrote_stays(self) -> None:
        ana = customers.find_or_create(make.context(address="+573000000001", channel="whatsapp_cloud"), "Ana")
        Customer.objects.update(phone="+576010000000")
        customers.address_changed("whatsapp_cloud", "+573000000001", "+573000000002")

        ana.refresh_from_db()
        assert ana.phone == "+576010000000"

    def test_an_address_that_is_anothers_already_stays_theirs(self) -> None:
        customers.find_or_create(make.context(address="+573000000001", channel="whatsapp_cloud"), "Ana")
        luis = customers.find_or_create(make.context(address="+573000000002", channel="whatsapp_cloud"), "Luis")
        customers.address_changed("whatsapp_cloud", "+573000000001", "+573000000002")

        assert customers.find(make.context(address="+573000000002", channel="whatsapp_cloud")) == luis
        luis.refresh_from_db()
        assert (luis.name, luis.phone) == ("Luis", "+573000000002")

    def test_who_leaves_a_number_for_their_user_id_is_found_by_that_alone(self) -> None:
        ana = customers.find_or_create(make.context(channel="whatsapp_cloud"), "Ana")
        customers.find_or_create(make.context(channel="twilio_sms"))
        customers.address_changed("whatsapp_cloud", make.PHONE, "CO.ANA")

        assert customers.find(make.context(address="CO.ANA", channel="whatsapp_cloud")) == ana
        assert customers.find(make.context(channel="twilio_sms")) is None
        assert customers.find(make.context(channel="whatsapp_cloud", phone=make.PHONE)) is None
        ana.refresh_from_db()
        assert ana.phone == ""

    def test_who_shows_a_new_number_leaves_the_one_they_hid(self) -> None:
        ana = customers.find_or_create(make.context(address="CO.ANA", channel="whatsapp_cloud", phone=make.PHONE))
        customers.find_or_create(make.context(channel="twilio_sms"))
        customers.address_changed("whatsapp_cloud", "CO.ANA", "+573000000002")

        assert customers.find(make.context(address="+573000000002", channel="twilio_sms")) == ana
        assert customers.find(make.context(channel="twilio_sms")) is None

    def test_who_never_ordered_needs_no_customer(self) -> None:
        customers.address_changed("whatsapp_cloud", "+573000000001", "+573000000002")
        assert not Customer.objects.exists()


def hidden(address: str = "CO.ANA", phone: str = "") -> ToolContext:
    """Somebody known by a user id; ``phone`` if they show it now."""
    return make.context(address=address, channel="whatsapp_cloud", phone=phone)


@pytest.mark.django_db
class TestHiddenNumbers:
    def test_a_number_shown_beside_a_user_id_is_the_same_person_by_sms(self) -> None:
        ana = customers.find_or_create(hidden(phone=make.PHONE), "Ana")
        assert customers.find_or_create(make.context()) == ana
        assert ana.phone == make.PHONE

    def test_a_number_that_is_shown_later_is_learned(self) -> None:
        ana = customers.find_or_create(hidden(), "Ana")
        assert customers.find(make.context()) is None
        customers.find_or_create(hidden(phone=make.PHONE))
        assert customers.find(make.context()) == ana

    def test_two_customers_are_never_made_one(self) -> None:
        ana = customers.find_or_create(hidden(), "Ana")
        luis = customers.find_or_create(make.context(), "Luis")
        assert customers.find_or_create(hidden(phone=make.PHONE)) == ana
        assert customers.find(make.context()) == luis

    def test_two_people_who_hide_their_numbers_are_two(self) -> None:
        ana = customers.find_or_create(hidden(), "Ana")
        assert customers.find_or_create(hidden("CO.LUIS"), "Luis") != ana


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("other", ["+573000000001", "CO.ANA"])
def test_two_channels_that_bring_a_number_at_once_make_one_customer(other: str) -> None:
    """The second looks while the first has not committed, and waits for it."""
    first = make.context(channel="twilio_sms")
    second = make.context(address=other, channel="whatsapp_cloud", phone=make.PHONE)

    is_made, may_commit = threading.Event(), threading.Event()

    def make_the_first() -> None:
        with transaction.atomic():
            customers.find_or_create(first, "Ana")
            is_made.set()
            assert may_commit.wait(30)

    def make_the_second() -> None:
        assert is_made.wait(30)
        with transaction.atomic():
            customers.find_or_create(second)

    def watch() -> None:
        assert is_made.wait(30)
        try:
            until_somebody_waits_for_a_lock()
        finally:
            may_commit.set()

    together(make_the_first, make_the_second, watch)
    assert Customer.objects.count() == 1
    assert CustomerContact.objects.count() == 2
