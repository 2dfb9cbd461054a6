"""Twilio on a bad day: refuses, breaks, loses answers, and reports statuses in any order."""

from __future__ import annotations

import urllib.error
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from bench.chaos.agenda import Agenda
from bench.chaos.dice import Dice
from bench.chaos.journal import Journal
from tests.wire.twilio import ANSWER_LOST, DROPPED, RATE_LIMITED, SERVER_ERROR, Fault, TwilioApi, signed_request

#: Share of all sends. Where the fate is unknown, half of the messages were taken and half were not.
FAULTS: Mapping[Fault, float] = {
    RATE_LIMITED: 0.02,
    SERVER_ERROR: 0.006,
    replace(SERVER_ERROR, accepted=True): 0.006,
    DROPPED: 0.006,
    ANSWER_LOST: 0.006,
}
#: What the desk answered instead of 200, or nothing: the vendor tries again after so many seconds.
REPEATS = (0.5, 1, 2, 4, 8, 8, 15, 15, 15, 30, 30)
EARLY_SHARE, DOUBLE_SHARE = 0.05, 0.04


class Vendor(TwilioApi):
    """The fake with chance in it.

    ``desk_url`` is set once the desk runs; ``reaches`` hands a message to its customer.
    """

    def __init__(self, dice: Dice, agenda: Agenda, journal: Journal) -> None:
        super().__init__()
        self.desk_url = ""
        self.reaches: Callable[[dict[str, Any], str], None] = lambda message, key: None
        self.looked_up = 0
        self._dice, self._agenda, self._journal = dice, agenda, journal
        self._sends: defaultdict[str, int] = defaultdict(int)
        self._to: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def next_fault(self, form: Mapping[str, str]) -> Fault:
        self._sends[form["To"]] += 1
        mine = self._dice.of("send", form["To"], self._sends[form["To"]])
        struck = mine.random()
        for fault, share in FAULTS.items():
            struck -= share
            if struck < 0 and not self._dice.calm:
                self._journal.count("refused sends" if fault is RATE_LIMITED else "sends of unknown fate")
                return fault
        return Fault(accepted=True, seconds=0 if self._dice.calm else mine.uniform(0, 0.1))

    def find(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        self.looked_up += 1
        return [one for one in reversed(self._to[query["To"]]) if query.get("From") in (None, one["from"])]

    def create(self, form: Mapping[str, str]) -> dict[str, Any]:
        message = super().create(form)
        self._to[message["to"]].append(message)
        callback = urlsplit(form.get("StatusCallback", ""))
        self.reaches(message, parse_qs(callback.query).get("outbox", [""])[0])
        self._report(message, f"{callback.path}?{callback.query}")
        return message

    def _report(self, message: dict[str, Any], path: str) -> None:
        """Statuses, some before the desk has its answer, some twice, some out of order."""
        mine = self._dice.of("status", message["to"], len(self._to[message["to"]]))
        words = mine.choice((["delivered"], ["delivered"], ["sent"], ["sent", "delivered"], ["read", "sent"], []))
        if words and mine.random() < EARLY_SHARE:
            self._post(message, path, words.pop(0), 0)
        for word in words:
            for _ in range(1 + (mine.random() < DOUBLE_SHARE)):
                self._agenda.at(mine.uniform(0, 1.5), _posting(self._post, message, path, word))

    def _post(self, message: dict[str, Any], path: str, word: str, tried: int) -> None:
        sid = message["sid"]
        form = {"MessageSid": sid, "MessageStatus": word, "SmsSid": sid, "SmsStatus": word, "To": message["to"]}
        form |= {"From": message["from"], "AccountSid": message["account_sid"], "ApiVersion": "2010-04-01"}
        if posted(self.desk_url, path, form):
            self._journal.statuses.add(f"{sid}:{word}")
        elif tried < 3:
            self._agenda.at(REPEATS[tried], lambda: self._post(message, path, word, tried + 1))


def posted(desk_url: str, path: str, form: Mapping[str, str]) -> bool:
    """Whether the desk answered 200; False also when it did not answer at all."""
    try:
        return signed_request(desk_url, path, form) == 200
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except OSError:
        return False


def _posting(post: Callable[..., None], message: dict[str, Any], path: str, word: str) -> Callable[[], None]:
    return lambda: post(message, path, word, 0)
