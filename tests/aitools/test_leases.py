"""One worker at a time, and nothing committed by one that lost its right."""

from __future__ import annotations

import pytest
from django.db import transaction

from aitools import clock, inbox, leases, staffing
from aitools.channels.base import EventKind, InboundMessage
from aitools.errors import LeaseLost
from aitools.leases import Lease
from aitools.models import Conversation
from tests.aitools.desk import Desk
from tests.aitools.threads import together


@pytest.fixture
def key(desk: Desk) -> int:
    return Conversation.objects.create(channel="web", address=desk.address).pk


def claimed(key: int) -> Lease:
    claim = leases.claim(key)
    assert claim is not None
    return claim.lease


def is_held(lease: Lease) -> bool:
    try:
        with transaction.atomic():
            leases.fence(lease)
    except LeaseLost:
        return False
    return True


def test_one_holder_at_a_time(key: int) -> None:
    lease = claimed(key)
    assert leases.claim(key) is None
    assert leases.release(lease, 0)
    assert leases.claim(key) is not None


def test_a_conversation_that_does_not_exist_has_no_lease(key: int) -> None:
    assert leases.claim(key + 1) is None


def test_a_lease_that_ran_out_is_taken_over_and_fences_its_first_holder(key: int) -> None:
    first = claimed(key)
    clock.shift(16)
    second = claimed(key)
    assert (is_held(first), is_held(second)) == (False, True)


def test_the_first_holders_release_leaves_the_seconds_lease(key: int) -> None:
    first = claimed(key)
    clock.shift(16)
    second = claimed(key)
    assert not leases.release(first, 0)
    leases.drop(first)
    assert is_held(second)
    assert leases.claim(key) is None


def test_renewing_covers_the_call_and_the_grace(key: int) -> None:
    lease = claimed(key)
    leases.renew(lease, 60)
    clock.shift(74)
    assert leases.claim(key) is None
    clock.shift(76)
    assert leases.claim(key) is not None
    with pytest.raises(LeaseLost):
        leases.renew(lease, 60)


@pytest.mark.parametrize("stop", ["/reset", "STOP", "take-over"])
def test_a_reset_an_opt_out_and_a_person_fence_what_is_under_way(desk: Desk, key: int, stop: str) -> None:
    lease = claimed(key)
    if stop == "take-over":
        staffing.take_over(key)
    else:
        desk.receive(stop, kind=EventKind.OPT_OUT if stop == "STOP" else EventKind.MESSAGE)
    assert not is_held(lease)
    with pytest.raises(LeaseLost):
        leases.renew(lease, 0)
    assert leases.claim(key) is not None


def test_a_lease_is_not_released_when_something_arrived(desk: Desk, key: int) -> None:
    lease = claimed(key)
    desk.receive("hola")
    assert not leases.release(lease, 0)
    assert is_held(lease)
    assert leases.release(lease, 1)


def test_what_arrives_as_the_lease_is_released_is_never_stranded(key: int) -> None:
    """Of message and release one comes first: either the release fails, or the wake-up finds the lease free."""
    outcomes = [race(key, seen) for seen in range(200)]
    assert all(woken or not released for released, woken in outcomes)
    assert {released for released, _ in outcomes} == {True, False}, "One of the two always came first."


def race(key: int, seen: int) -> tuple[bool, bool]:
    """Whether the lease was released, and whether the message's own wake-up then got it."""
    lease = claimed(key)
    released: list[bool] = []
    woken: list[bool] = []
    together(
        lambda: released.append(leases.release(lease, seen)),
        lambda: woken.append(arrive(key, seen)),
    )
    Conversation.objects.filter(pk=key).update(lease_token=None, lease_until=None)
    return released[0], woken[0]


def arrive(key: int, number: int) -> bool:
    """A message comes in and its wake-up tries the lease; whether it got it."""
    event = InboundMessage(EventKind.MESSAGE, "web", f"race {number}", address="visitor-1", text="hola")
    assert inbox.receive([event]) == 1
    return leases.claim(key) is not None


def test_of_many_claims_at_once_one_wins(key: int) -> None:
    won: list[leases.Claim | None] = []
    together(*[lambda: won.append(leases.claim(key))] * 8)
    assert len([lease for lease in won if lease is not None]) == 1


def test_the_send_lease_is_a_lease_of_its_own(key: int) -> None:
    assert leases.claim(key) is not None
    token = leases.claim_sending(key)
    assert token is not None
    assert leases.claim_sending(key) is None
    assert leases.renew_sending(key, token)
    clock.shift(leases.SENDING_SECONDS + 1)
    second = leases.claim_sending(key)
    assert second is not None
    assert not leases.renew_sending(key, token)
    leases.release_sending(key, token)
    assert leases.claim_sending(key) is None
    leases.release_sending(key, second)
    assert leases.claim_sending(key) is not None
