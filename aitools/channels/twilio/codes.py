"""Twilio's error codes and statuses in the engine's words."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.channels.base import DeliveryStatus

# An unknown code is permanent: Twilio warns that codes change, and staff see it.
PERMANENT = "permanent"

_CODES_BY_KIND: Mapping[str, tuple[int, ...]] = {
    "retry": (
        *(20429, 20500, 20503),  # the API itself
        *(21611, 30001, 30022),  # our own queue is full
        *(30003, 30008),  # handset unreachable, unknown: once, later
        *(30410, 30450),  # provider timeout, pumping block
        *(63010, 63012, 63017, 63018, 63038),  # the channel's trouble and limits
    ),
    "opt_out": (21610,),
    "window": (63016,),
    "config": (
        *(20003, 20404),
        *(21212, 21603, 21606, 21608, 21609, 21701, 21703, 21705),
        *(30002, 30034),
        *(63007, 63020, 63030, 63031, 63051),
    ),
}
_KIND_BY_CODE = {str(code): kind for kind, codes in _CODES_BY_KIND.items() for code in codes}

_STATUSES: Mapping[str, DeliveryStatus] = {
    "accepted": DeliveryStatus.QUEUED,
    "scheduled": DeliveryStatus.QUEUED,
    "queued": DeliveryStatus.QUEUED,
    "sending": DeliveryStatus.QUEUED,
    "sent": DeliveryStatus.SENT,
    "partially_delivered": DeliveryStatus.SENT,
    "delivered": DeliveryStatus.DELIVERED,
    "read": DeliveryStatus.READ,
    "undelivered": DeliveryStatus.FAILED,
    "failed": DeliveryStatus.FAILED,
    "canceled": DeliveryStatus.FAILED,
}


def kind_of(code: str) -> str:
    """The error class: permanent, retry, window, opt_out or config."""
    return _KIND_BY_CODE.get(code, PERMANENT)


def status_of(word: str) -> DeliveryStatus | None:
    """Twilio's status of a message we sent; None for words we don't know."""
    return _STATUSES.get(word)
