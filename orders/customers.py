"""Who is writing: identity comes from the conversation's address, never from arguments."""

from __future__ import annotations

import re

from django.db import IntegrityError, connection, transaction

from aitools.storable import one_line
from aitools.tools import ToolContext
from orders.models import Customer, CustomerContact

_PHONE = re.compile(r"(?:whatsapp:)?\+?(\d{8,15})")
#: Country code, then what some networks put in and others leave out, then the national number.
_VARIANTS = (
    re.compile(r"(52)1(\d{10})"),
    re.compile(r"(54)9(\d{10})"),
    re.compile(r"(55\d\d)9(\d{8})"),
)
_LONGEST_NAME = 60
#: What software writes for a name it doesn't have.
_NO_NAMES = frozenset({"null", "none", "undefined", "nan", "unknown"})


def phone_key(address: str) -> str:
    """One form for all ways of writing a phone number; "" when the address is none.

    Mexico's 1, Argentina's 9 and Brazil's ninth digit come and go between
    networks.  Only for finding: replies use the address as it came.
    """
    written = _PHONE.fullmatch(address)
    if written is None:
        return ""
    digits = written.group(1)
    for variant in _VARIANTS:
        if match := variant.fullmatch(digits):
            return match.group(1) + match.group(2)
    return digits


def find(ctx: ToolContext) -> Customer | None:
    """The customer who writes, by this address, or by their number however it is written and wherever they use it."""
    contact = (
        CustomerContact.objects.select_related("customer").filter(channel=ctx.channel, address=ctx.address).first()
    )
    if contact is None and (key := _key(ctx)):
        contact = CustomerContact.objects.select_related("customer").filter(phone_key=key).order_by("id").first()
    return contact.customer if contact is not None else None


def find_or_create(ctx: ToolContext, name: str = "") -> Customer:
    """The customer who writes; a new one if unknown. Requires a transaction.

    ``name`` is kept if the customer has none yet.
    """
    customer = find(ctx) or _first(ctx, name)
    if not customer.name and name:
        customer.name = name
        customer.save(update_fields=["name"])
    contact, _is_new = CustomerContact.objects.get_or_create(
        channel=ctx.channel,
        address=ctx.address,
        defaults={"customer": customer, "phone_key": _key(ctx)},
    )
    if not contact.phone_key and (key := _key(ctx)):
        # They show the number they hid: from now on it finds them on other channels.
        contact.phone_key = key
        contact.save(update_fields=["phone_key"])
    return customer


def address_changed(channel: str, old: str, new: str) -> None:
    """The customer behind ``old`` writes from ``new`` from now on. Requires a transaction.

    Nothing leads from the old number to them any more, on any channel: it may be
    given to somebody else.  A new address that is another customer's already
    stays theirs: two people are never made one.
    """
    known = CustomerContact.objects.select_related("customer").filter(channel=channel, address=old).first()
    if known is None or old == new:
        return
    customer, left = known.customer, known.phone_key
    CustomerContact.objects.get_or_create(
        channel=channel, address=new, defaults={"customer": customer, "phone_key": phone_key(new)}
    )
    known.delete()
    if left and left != phone_key(new):
        _forget_number(customer, left)
    if customer.phone in ("", _phone(old)):
        customer.phone = _phone(new)
        customer.save(update_fields=["phone"])


def _forget_number(customer: Customer, key: str) -> None:
    """Addresses that are this number lead to them no more; others stay, but are not found by it."""
    for contact in CustomerContact.objects.filter(customer=customer, phone_key=key):
        if phone_key(contact.address):
            contact.delete()
        else:
            contact.phone_key = ""
            contact.save(update_fields=["phone_key"])


def _key(ctx: ToolContext) -> str:
    return phone_key(ctx.address) or phone_key(ctx.phone)


def _phone(address: str) -> str:
    """In E.164; "" when the address is no number."""
    return f"+{re.sub(r'[^0-9]', '', address)}" if phone_key(address) else ""


def _first(ctx: ToolContext, name: str) -> Customer:
    """Made while nobody else makes a customer of this number: two channels may bring it at the same instant."""
    key = _key(ctx)
    if not key:
        return _create(ctx, name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"customer:{key}"])
    return find(ctx) or _create(ctx, name)


def _create(ctx: ToolContext, name: str) -> Customer:
    key = _key(ctx)
    try:
        with transaction.atomic():
            customer = Customer.objects.create(name=name, phone=_phone(ctx.address) or _phone(ctx.phone))
            CustomerContact.objects.create(customer=customer, channel=ctx.channel, address=ctx.address, phone_key=key)
    except IntegrityError:
        # Another conversation of the same address was first.
        return CustomerContact.objects.get(channel=ctx.channel, address=ctx.address).customer
    return customer


def known_name(ctx: ToolContext, customer: Customer | None) -> str:
    """What we may call them: the name they gave us, else the channel's profile name."""
    return (customer.name if customer is not None else "") or _profile_name(ctx.profile_name)


def clean_name(name: str) -> str:
    """One line of printable characters, at most 60."""
    return one_line(name)[:_LONGEST_NAME].strip()


def _profile_name(name: str) -> str:
    """A channel's profile name; "" for what some phones send instead of one."""
    cleaned = clean_name(name)
    is_a_name = any(map(str.isalpha, cleaned)) and cleaned.casefold() not in _NO_NAMES
    return cleaned if is_a_name else ""
