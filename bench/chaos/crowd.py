"""Many customers at once: each plays a scene, reads what reaches it, and writes through webhooks."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.chaos.agenda import Agenda
from bench.chaos.dice import Dice
from bench.chaos.journal import Chat, Heard, Journal, Said
from bench.chaos.scenes import Customer, Line, Talk, scene_of
from bench.chaos.vendor import REPEATS, Vendor, posted
from bench.chaos.wares import Wares
from tests.wire.twilio import ACCOUNT_SID

SMS_SHARE, DOUBLE_SHARE, LATE_SHARE = 0.2, 0.08, 0.01
WHATSAPP_FROM, SMS_FROM = "whatsapp:+15550100188", "+15550100199"
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru")


@dataclass
class Player:
    """One customer at a telephone. ``lock`` guards what was heard and whether it is being read."""

    number: int
    customer: Customer
    talk: Talk
    chat: Chat
    waits_long: bool = False
    unread: list[Heard] = field(default_factory=list)
    is_over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)
    reads: bool = False

    @property
    def name(self) -> str:
        """Letters only: digits would be quantities."""
        return "Ana " + "".join(_SYLLABLES[int(digit)] for digit in f"{self.number:05d}").capitalize()


class Crowd:
    """``size`` players, at most ``at_once`` of them in talk; those that only wait for time to pass don't count."""

    def __init__(self, size: int, at_once: int, wares: Wares, dice: Dice, agenda: Agenda, journal: Journal) -> None:
        self.size, self.at_once, self.begun, self.ended = size, at_once, 0, 0
        self._wares, self._dice, self._agenda, self._journal = wares, dice, agenda, journal
        self.players: dict[str, Player] = {}
        self._vendor: Vendor | None = None
        self._lock = threading.Lock()

    def open(self, vendor: Vendor) -> None:
        """Let the first ones in; each that ends lets in another."""
        self._vendor = vendor
        vendor.reaches = self.hear
        for _ in range(min(self.at_once, self.size)):
            self._admit()

    @property
    def is_over(self) -> bool:
        return self.ended == self.size

    @property
    def waiting(self) -> int:
        """How many began and have not ended."""
        return self.begun - self.ended

    @property
    def for_time(self) -> int:
        """How many of those only wait for a question to expire."""
        return sum(player.waits_long and not player.is_over for player in list(self.players.values()))

    def hear(self, message: dict[str, Any], key: str) -> None:
        """A message has reached a customer; it is read a moment later, with what comes until then."""
        player = self.players[message["to"]]
        heard = Heard(message["sid"], key, message["body"], time.time(), self._journal.place())
        with player.lock:
            player.chat.heard.append(heard)
            player.unread.append(heard)
            if player.reads or player.is_over:
                return
            player.reads = True
        count = len(player.chat.heard)
        self._agenda.at(self._dice.of("read", player.number, count).uniform(0.1, 1.2), lambda: self._read(player))

    def _admit(self) -> None:
        with self._lock:
            if self.begun == self.size:
                return
            number, self.begun = self.begun, self.begun + 1
        player = self._player(number)
        self.players[player.chat.address] = self._journal_of(player)
        self._agenda.at(self._dice.of("begin", number).uniform(0, 2), lambda: self._go_on(player, None))

    def _journal_of(self, player: Player) -> Player:
        self._journal.chats[player.chat.address] = player.chat
        return player

    def _player(self, number: int) -> Player:
        mine = self._dice.of("player", number)
        scene = scene_of(mine)
        texts = mine.random() < SMS_SHARE
        address = f"+1556{number:07d}" if texts else f"whatsapp:+1556{number:07d}"
        customer = Customer(self._wares, mine)
        chat = Chat(address, scene.__name__)
        player = Player(number, customer, scene(customer), chat)
        customer.name = player.name if texts else ""
        return player

    def _read(self, player: Player) -> None:
        with player.lock:
            heard, player.unread, player.reads = player.unread, [], False
        if not player.is_over:
            self._go_on(player, heard)

    def _go_on(self, player: Player, heard: Sequence[Heard] | None) -> None:
        try:
            lines = next(player.talk) if heard is None else player.talk.send(heard)
        except StopIteration as end:
            self._end(player, str(end.value or "gave up"))
            return
        if not lines:  # waits for time to pass, and lets somebody else in meanwhile
            player.waits_long = True
            self._admit()
        for place, line in enumerate(lines):
            self._write(
                player, line, place * self._dice.of("gap", player.number, len(player.chat.said)).uniform(0, 0.7)
            )

    def _end(self, player: Player, outcome: str) -> None:
        player.is_over, player.chat.outcome = True, outcome
        with self._lock:
            self.ended += 1
        self._admit()

    def _write(self, player: Player, line: Line, delay: float) -> None:
        """Post the message, now and then twice or late, until the desk has taken it."""
        mine = self._dice.of("write", player.number, len(player.chat.said))
        said = Said(
            f"SM{player.number:08x}{len(player.chat.said):024x}", line.text, time.time() + delay, line.agrees_to
        )
        player.chat.said.append(said)
        late = self._dice.strikes(LATE_SHARE, "late", said.sid)
        self._agenda.at(delay + (2 if late else 0), lambda: self._post(player, said, 0))
        if self._dice.strikes(DOUBLE_SHARE, "double", said.sid):
            self._agenda.at(delay + mine.uniform(0, 3), lambda: self._post(player, said, 0))

    def _post(self, player: Player, said: Said, tried: int) -> None:
        assert self._vendor is not None
        if posted(self._vendor.desk_url, "/webhooks/twilio", _form(player, said)):
            said.accepted_at = said.accepted_at or time.time()
        elif tried < len(REPEATS):
            self._journal.count("webhooks repeated")
            self._agenda.at(REPEATS[tried], lambda: self._post(player, said, tried + 1))


def _form(player: Player, said: Said) -> dict[str, str]:
    address = player.chat.address
    by_whatsapp = address.startswith("whatsapp:")
    form = {
        "MessageSid": said.sid,
        "SmsMessageSid": said.sid,
        "AccountSid": ACCOUNT_SID,
        "From": address,
        "To": WHATSAPP_FROM if by_whatsapp else SMS_FROM,
        "Body": said.text,
        "NumMedia": "0",
        "NumSegments": "1",
        "ApiVersion": "2010-04-01",
    }
    phone = address.removeprefix("whatsapp:").strip("+")
    return form | ({"ProfileName": player.name, "WaId": phone} if by_whatsapp else {})
