"""Meta's error codes and statuses in the engine's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aitools.channels.base import DeliveryStatus, ErrorClass, Pause

_CODES: Mapping[ErrorClass, Iterable[int]] = {
    ErrorClass.RETRY: (
        *(1, 2, 131000, 131016, 131057, 133004),  # trouble at Meta
        *(4, 80007, 130429, 131056),  # too many requests; the last for one customer
    ),
    ErrorClass.SLOW: (131048, 131064),  # held back for quality, for hours
    ErrorClass.WINDOW: (131047,),
    ErrorClass.CONFIG: (
        *(0, 3, 10, 190, *range(200, 300)),  # token and permissions
        *(368, 131005, 131031, 131042, 131045, 133010),  # account, payment, registration
    ),
    ErrorClass.RECIPIENT: (131026, 131030, 131049, 131050, 130472, 130497, 131062),
    ErrorClass.CONTENT: (
        *(33, 100, 131008, 131009, 131021, 131051, 131052, 131053, 135000),
        *(132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069),  # templates
    ),
}
_CLASS_BY_CODE = {str(code): found for found, codes in _CODES.items() for code in codes}

#: Held back for quality: trying again soon makes it worse. The last is one customer's, who had too many messages.
_PAUSES = {"131048": Pause(3600.0), "131064": Pause(3600.0), "131056": Pause(6.0, whole_sender=False)}

_STATUSES: Mapping[str, DeliveryStatus] = {
    "sent": DeliveryStatus.SENT,
    "delivered": DeliveryStatus.DELIVERED,
    "read": DeliveryStatus.READ,
    "played": DeliveryStatus.READ,  # a voice message was heard
    "failed": DeliveryStatus.FAILED,
}


def error_class(code: str) -> ErrorClass:
    """What a code means for us; codes that Meta adds are unknown, which is permanent."""
    return _CLASS_BY_CODE.get(code, ErrorClass.UNKNOWN)


def pause(code: str) -> Pause | None:
    """How long Meta wants us to wait after this code."""
    return _PAUSES.get(code)


def status_of(word: str) -> DeliveryStatus | None:
    """Meta's status of a message we sent; None for words we don't know."""
    return _STATUSES.get(word)
