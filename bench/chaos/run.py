"""One run: the desk starts, the crowd talks, misfortunes happen, everything comes to rest."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.chaos.agenda import Agenda
from bench.chaos.crowd import SMS_FROM, WHATSAPP_FROM, Crowd
from bench.chaos.desk import CONFIRM_SECONDS, Desk
from bench.chaos.dice import Dice
from bench.chaos.journal import Journal
from bench.chaos.misfortunes import Misfortunes
from bench.chaos.recoveries import Recoveries
from bench.chaos.vendor import Vendor
from bench.chaos.wares import Wares
from tests.wire.twilio import ACCOUNT_SID, AUTH_TOKEN
from tests.wire.vendors import API_KEY

THREADS = 24
#: Longest time that the desk may take to come to rest once nobody writes any more.
REST_SECONDS = 420
#: The clock's jump that spares waiting for questions to expire and for sends to be settled.
JUMP_SECONDS = CONFIRM_SECONDS + 10
#: So many seconds of quiet, in a row, are rest.
QUIET_SECONDS = 3


@dataclass(frozen=True)
class Plan:
    """What the command line asks for."""

    conversations: int
    seed: int
    at_once: int
    every: int
    menu: Path
    calm: bool = False


class Run:
    """A run under way: what was said, what happened, how long it took."""

    def __init__(self, plan: Plan, desk: Desk, journal: Journal, wares: Wares, agenda: Agenda) -> None:
        dice = Dice(plan.seed, plan.calm)
        self.plan, self.desk, self.journal, self.wares, self.agenda = plan, desk, journal, wares, agenda
        self.crowd = Crowd(plan.conversations, plan.at_once, wares, dice, agenda, journal)
        self.misfortunes = Misfortunes(desk, dice, plan.conversations, plan.every)
        self.recoveries = Recoveries(desk)
        self.talked_seconds = self.seconds = 0.0
        self.rested = False
        self._started = time.monotonic()
        self._told = 0.0

    def to_the_end(self, vendor: Vendor) -> None:
        """Until everybody has had their say, and then until nothing is left to do."""
        vendor.desk_url = self.desk.stack.url
        self._started = time.monotonic()
        self.crowd.open(vendor)
        while self.crowd.begun < self.plan.conversations or self.crowd.waiting > self.crowd.for_time + self._slow:
            self._tick()
        self.talked_seconds = time.monotonic() - self._started
        self._jump()
        self._come_to_rest()
        self.seconds = time.monotonic() - self._started

    @property
    def _slow(self) -> int:
        """So few may still be in talk when the clock jumps."""
        return self.plan.conversations // 50

    def _tick(self) -> None:
        self.misfortunes.happen(self.crowd.ended)
        self.recoveries.look()
        self._tell()
        time.sleep(0.5)

    def _jump(self) -> None:
        """Connections made before are ended, so that everybody has the new time."""
        self.desk.stack.shift_clock(JUMP_SECONDS)
        self.misfortunes.done["clock moved"] += 1

    def _come_to_rest(self) -> None:
        """The customers left in talk go on; rest is when neither they nor the desk have anything to do."""
        quiet, until = 0, time.monotonic() + REST_SECONDS
        while quiet < QUIET_SECONDS and time.monotonic() < until:
            self._tick()
            time.sleep(0.5)
            quiet = quiet + 1 if self._is_quiet() else 0
        self.rested = quiet >= QUIET_SECONDS

    def _is_quiet(self) -> bool:
        try:
            return self.agenda.is_empty and not any(self.desk.open_work().values())
        except psycopg.OperationalError:
            return False

    def _tell(self) -> None:
        if time.monotonic() - self._told > 15:
            self._told = time.monotonic()
            seconds = self._told - self._started
            print(f"{seconds:6.0f} s: {self.crowd.begun} came, {self.crowd.ended} left", flush=True)

    def outcomes(self) -> Counter[str]:
        """How the customers left: a number is an order."""
        ended = (chat.outcome or "still waits" for chat in self.journal.chats.values())
        return Counter(outcome if " " in outcome or outcome.isalpha() else "served" for outcome in ended)


def environment(vendor: Vendor) -> dict[str, str]:
    """What makes the desk talk to our vendors."""
    return {
        "TWILIO_ACCOUNT_SID": ACCOUNT_SID,
        "TWILIO_AUTH_TOKEN": AUTH_TOKEN,
        "TWILIO_SMS_FROM": SMS_FROM,
        "TWILIO_WHATSAPP_FROM": WHATSAPP_FROM,
        "TWILIO_API_BASE_URL": vendor.base_url,
        "CHAOS_API_KEY": API_KEY,
    }
