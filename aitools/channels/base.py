"""What every channel is to the engine: verify, parse, send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Protocol, runtime_checkable

from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string

from aitools.errors import ConfigurationError
from aitools.splitting import Measure, utf16_units
from aitools.types import Button, Json


class EventKind(StrEnum):
    """What a channel may bring. Only messages and presses are talk."""

    MESSAGE = "message"
    PRESS = "press"
    OPT_OUT = "opt_out"
    OPT_IN = "opt_in"
    STATUS = "status"
    ECHO = "echo"
    SYSTEM = "system"


class DeliveryStatus(StrEnum):
    """Vendor statuses in one vocabulary; they only move forward."""

    QUEUED = "queued"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


class ErrorClass(StrEnum):
    """Why a message failed, as far as it matters for what to do next.

    ``RETRY`` passes soon; ``LATER`` is worth one more try, minutes later;
    ``SLOW`` passes in hours.  ``OPT_OUT``, ``WINDOW``, ``CONFIG`` (all that this
    sender sends will fail), ``RECIPIENT``, ``CONTENT`` and ``UNKNOWN`` don't pass.
    """

    RETRY = "retry"
    LATER = "later"
    SLOW = "slow"
    OPT_OUT = "opt_out"
    WINDOW = "window"
    CONFIG = "config"
    RECIPIENT = "recipient"
    CONTENT = "content"
    UNKNOWN = "unknown"

    @property
    def kind(self) -> str:
        """As ``ChannelError.kind``: retry, opt_out, window, config or permanent."""
        if self in (ErrorClass.RETRY, ErrorClass.LATER, ErrorClass.SLOW):
            return "retry"
        kept = (ErrorClass.OPT_OUT, ErrorClass.WINDOW, ErrorClass.CONFIG)
        return self.value if self in kept else "permanent"


@dataclass(frozen=True, slots=True)
class Pause:
    """The vendor wants us to wait for some seconds: with all that this sender sends, or with this recipient only."""

    seconds: float
    whole_sender: bool = True


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """One inbound event, after verification and parsing.

    ``provider_id`` is the vendor's id, unique in the channel (a status uses
    ``<message id>:<status>``).  ``account`` is our own number or page there,
    ``address`` the customer's, in the form replies must use.  ``payload`` is
    the pressed button's id.  ``sent_at`` is the vendor's time, if it gave one.
    Status fields: ``status``, ``status_of`` (vendor's message id),
    ``outbox_id`` (our row id if it came back), ``error_code``.
    """

    kind: EventKind
    channel: str
    provider_id: str
    account: str = ""
    address: str = ""
    text: str = ""
    payload: str = ""
    message_kind: str = "text"
    profile_name: str = ""
    phone: str = ""
    media: tuple[Mapping[str, Json], ...] = ()
    sent_at: datetime | None = None
    reply_to: str = ""
    status: DeliveryStatus | None = None
    status_of: str = ""
    outbox_id: str = ""
    error_code: str = ""
    error_kind: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


#: Bring back who opted out, besides the vendor's own word for it.
OPT_IN_WORDS = frozenset({"START", "UNSTOP", "ALTA"})


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a channel can do.

    ``text_limit`` and ``button_text_limit`` (text beside buttons; None: the
    same) are in the units of ``measure``, which counts as the vendor does.
    ``button_languages``: only in these are there buttons (None: in every one);
    ``templates``: the languages in which a text may be sent after
    ``window_hours`` have passed.  ``per_second`` is what one sender of ours may
    send, ``pair_rate`` (messages, seconds) what one recipient may get.
    ``lists``: choices from a list can be sent, and arrive as presses;
    ``read_receipts``: statuses tell that the customer has read.
    ``welcomed_words``: the opt-in words that the vendor answers itself.
    ``in_order_after``: once the vendor reports this of a message, the next one
    can't overtake it; None where nothing is reported, or nothing overtakes.
    """

    buttons: bool = False
    edit: bool = False
    text_limit: int = 4096
    window_hours: int | None = None
    opt_out_words: frozenset[str] = frozenset()
    measure: Measure = utf16_units
    button_text_limit: int | None = None
    button_languages: frozenset[str] | None = None
    templates: frozenset[str] = frozenset()
    per_second: int | None = None
    pair_rate: tuple[int, int] | None = None
    lists: bool = False
    read_receipts: bool = False
    opt_in_words: frozenset[str] = OPT_IN_WORDS
    welcomed_words: frozenset[str] = frozenset()
    in_order_after: DeliveryStatus | None = None

    def has_buttons(self, language: str) -> bool:
        """Whether a question in this language ("es", or "es-mx") is sent with buttons."""
        only = self.button_languages
        return self.buttons and (only is None or language.partition("-")[0] in only)

    def limit(self, *, beside_buttons: bool) -> int:
        """How long one message may be."""
        return (beside_buttons and self.button_text_limit) or self.text_limit


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message to send. ``outbox_id`` is public and comes back in statuses.

    ``as_template``: the window is closed; only sent where ``templates`` has the language.
    """

    outbox_id: str
    account: str
    address: str
    text: str
    buttons: tuple[Button, ...] = ()
    language: str = "es"
    as_template: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """The vendor took it. ``provider_id`` is its id for later statuses.

    With the status FAILED it has taken it and can't deliver it; ``error_code`` is the vendor's.
    """

    provider_id: str
    status: DeliveryStatus = DeliveryStatus.SENT
    error_code: str = ""


class Channel(Protocol):
    """A way to reach customers. Stateless, safe in threads."""

    name: ClassVar[str]

    @property
    def capabilities(self) -> Capabilities: ...

    def verify(self, request: HttpRequest) -> None:
        """Raise ``SignatureError`` unless the vendor signed this request."""
        ...

    def parse(self, request: HttpRequest) -> Sequence[InboundMessage]:
        """The events in a verified request, in its order; never raises on content."""
        ...

    def send(self, message: OutgoingMessage) -> Sent:
        """Hand over one message, within a wall-clock limit of 20 s.

        Raises ``ChannelTransient`` (surely not taken), ``ChannelUnknown`` (may
        have been taken) or ``ChannelPermanent``.
        """
        ...

    def find_sent(self, message: OutgoingMessage, since: datetime) -> Sent | None:
        """Look up whether an uncertain send was taken; None when not provable."""
        ...


@runtime_checkable
class Attentive(Protocol):
    """A channel that can show the customer that somebody is at work."""

    def attend(self, account: str, provider_id: str) -> None:
        """Mark this message of theirs as read and show that an answer is being written.

        Called once at the start of a turn, outside transactions; ends within
        2 s of wall clock.  Whatever it raises is logged and stops nothing.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """A customer's file. ``mime_type`` is of a closed list, and the bytes look like it."""

    content: bytes = field(repr=False)
    mime_type: str


class Unfetched(StrEnum):
    """Why there is no file: kept with a voice note, so the values stay.

    ``GONE``: the vendor has it no more.  ``NOT_ALLOWED``: not of a type that we
    show, or not where the vendor keeps such files.  ``REFUSED``: the vendor
    refuses our credentials, or we have none.  ``AWAY``: no answer in time.
    """

    GONE = "gone"
    TOO_LARGE = "too_large"
    NOT_ALLOWED = "not_allowed"
    REFUSED = "refused"
    AWAY = "away"


@runtime_checkable
class Fetches(Protocol):
    """A channel whose vendor keeps what customers send besides words."""

    def fetch(self, medium: Mapping[str, Json]) -> Fetched | Unfetched:
        """The file of one entry of ``InboundMessage.media``, within 20 s of wall clock.

        Credentials go to the vendor's own hosts and nowhere else, whatever the
        entry says.  Outside transactions; raises nothing.
        """
        ...


@runtime_checkable
class Explains(Protocol):
    """A channel whose vendor has error codes; staff are then advised what to do about each."""

    def error_class(self, code: str) -> ErrorClass:
        """What the code means for us."""
        ...

    def pause(self, code: str) -> Pause | None:
        """How long the vendor wants us to wait after this code; None where the usual waits do."""
        ...


@dataclass(frozen=True, slots=True)
class Checkup:
    """What a look at a channel's setup found, in plain words for whoever runs the desk.

    ``is_used``: any of its settings is there.  ``problems`` say what is missing
    or wrong and what to do; ``facts`` what the vendor tells of our sender.
    """

    is_used: bool
    problems: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@runtime_checkable
class Checkable(Protocol):
    """A channel whose setup can be looked at; ``manage.py check_channels`` does."""

    def check(self) -> Checkup:
        """Look at the settings, ask the vendor and our own address. Sends no message, raises nothing."""
        ...


def channel_for(name: str) -> Channel:
    """The channel that ``settings.AITOOLS_CHANNELS`` names."""
    paths: dict[str, str] = settings.AITOOLS_CHANNELS
    if name not in paths:
        raise ConfigurationError(f"Unknown channel {name!r}; known: {', '.join(sorted(paths))}.")
    built: Channel = import_string(paths[name])()
    return built
