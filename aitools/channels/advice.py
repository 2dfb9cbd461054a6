"""What staff can do about a message that failed, in plain words beside the vendor's code."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from aitools.channels.base import ErrorClass, Explains, Pause, channel_for
from aitools.errors import ConfigurationError

_ADVICE: dict[ErrorClass, str | Promise] = {
    ErrorClass.RETRY: _("The provider had a passing trouble. Send it again in a few minutes."),
    ErrorClass.LATER: _("The phone is off or out of reach. If it is urgent, call the customer."),
    ErrorClass.SLOW: _(
        "The provider's limit for our number is reached. Send it again in some hours, or call the customer."
    ),
    ErrorClass.OPT_OUT: _("The customer wants no more messages. Nothing can be sent until they write START."),
    ErrorClass.WINDOW: _(
        "WhatsApp lets us write only within 24 hours after the customer's last message. "
        "Call the customer, or have an approved template set up."
    ),
    ErrorClass.CONFIG: _(
        "Our number is not set up right at the provider, so nothing goes out from it. "
        "Tell whoever runs this system, with the code."
    ),
    ErrorClass.RECIPIENT: _(
        "This number can't get our messages: it is wrong, blocks us, or has no such service. "
        "Reach the customer another way."
    ),
    ErrorClass.CONTENT: _("The provider refused these words. Write it shorter or in other words, and send that."),
    ErrorClass.UNKNOWN: _("We don't know this code; it stands in the provider's list of errors."),
}
_DOUBTFUL = _("Nobody knows whether it arrived. Ask the customer before you repeat it.")


def class_of(channel: str, code: str) -> ErrorClass:
    """What a code stored with a message means: one of the vendor's, or the name of a class."""
    if code in (ErrorClass.WINDOW, ErrorClass.CONFIG, ErrorClass.OPT_OUT, ErrorClass.CONTENT):
        return ErrorClass(code)
    vendor = _explaining(channel)
    return vendor.error_class(code) if vendor else ErrorClass.UNKNOWN


def pause_of(channel: str, code: str) -> Pause | None:
    """How long the vendor wants us to wait after this code, if it says so."""
    vendor = _explaining(channel)
    return vendor.pause(code) if vendor else None


def _explaining(channel: str) -> Explains | None:
    try:
        vendor = channel_for(channel)
    except ConfigurationError:  # an old conversation of a channel that is gone
        return None
    return vendor if isinstance(vendor, Explains) else None


def advice(channel: str, code: str) -> str:
    """What to do, in the active language; "" where there is no code."""
    if code == ErrorClass.UNKNOWN:
        return str(_DOUBTFUL)
    return str(_ADVICE[class_of(channel, code)]) if code else ""
