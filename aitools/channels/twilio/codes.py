"""Twilio's error codes and statuses in the engine's words."""

from __future__ import annotations

from collections.abc import Mapping

from aitools.channels.base import DeliveryStatus, ErrorClass, Pause

_CODES: Mapping[ErrorClass, tuple[int, ...]] = {
    ErrorClass.RETRY: (
        *(20429, 20500, 20503),  # the API itself
        *(21611, 30001, 30022),  # our own queue is full
        *(30410, 63010, 63012),  # the provider's or the channel's trouble
    ),
    ErrorClass.LATER: (30003, 30008),  # handset unreachable, unknown
    ErrorClass.SLOW: (
        *(63017, 63018, 63038),  # limits of the channel and of the day
        30450,  # the customer's number or region, blocked against pumping, for some 20 minutes
    ),
    ErrorClass.OPT_OUT: (21610,),
    ErrorClass.WINDOW: (63016,),
    ErrorClass.CONFIG: (
        *(20003, 20404),
        *(21212, 21603, 21606, 21608, 21609, 21701, 21703, 21705),
        *(30002, 30034),
        *(63007, 63020, 63030, 63031, 63051),
    ),
    ErrorClass.RECIPIENT: (
        *(21211, 21614, 21635),  # not valid, not mobile, a landline
        *(21408, 21612),  # no route, region switched off
        *(30004, 30005, 30006),
        *(63001, 63003, 63024),  # not on WhatsApp
        *(63014, 63033),  # blocked by the person
        *(63015, 63032, 63049),  # sandbox not joined, Meta's experiments
    ),
    ErrorClass.CONTENT: (
        *(21602, 21604, 21617, 21620, 21623),
        30007,  # filtered
        *(63005, 63013, 63019, 63021, 63027, 63028),
        *(21654, 21655, 21656),  # the template
    ),
}
_CLASS_BY_CODE = {str(code): one for one, codes in _CODES.items() for code in codes}

#: The account's messages of 24 rolling hours are used up. One an hour finds out when there are more. Of the other
#: limits, 63018 and 30450 are of one customer or of templates alone: they must not silence the shop.
_PAUSES = {"63038": Pause(3600.0)}

#: What WhatsApp's older numbers are called today; they still appear in callbacks.
_RENAMED: Mapping[str, str] = {
    "470": "63016",
    **dict.fromkeys(("429", "471", "1015"), "63018"),
    **dict.fromkeys(("1006", "1013"), "63003"),
    **dict.fromkeys(("1002", "1026"), "63024"),
    "472": "63032",
}

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


def class_of(code: str) -> ErrorClass:
    """What a code means for us. Twilio warns that codes change: an unknown one is permanent, and staff see it."""
    return _CLASS_BY_CODE.get(_RENAMED.get(code, code), ErrorClass.UNKNOWN)


def pause(code: str) -> Pause | None:
    """How long Twilio wants our sender to be silent after this code."""
    return _PAUSES.get(code)


def status_of(word: str) -> DeliveryStatus | None:
    """Twilio's status of a message we sent; None for words we don't know."""
    return _STATUSES.get(word)
