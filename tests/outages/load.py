"""Customers who order while things break, and a vendor that repeats what was not accepted."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.error import HTTPError, URLError
from uuid import uuid4

from tests.e2e.texting import Texting
from tests.wire.twilio import signed_request

ORDER = "quiero 2 croissants y un café"
#: How long one customer waits for an answer, outage and leases included.
PATIENCE_SECONDS = 110


@dataclass
class Load:
    """Each customer orders and says yes. ``refused`` counts the answers that a vendor would repeat after."""

    new: Callable[[], Texting]
    customers: list[Texting] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    answered: list[float] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def work(self) -> None:
        """One customer after another until it is over."""
        try:
            while not self.over.is_set():
                self.order(self.another())
        except BaseException as fault:  # noqa: BLE001 - it is raised in the test's own thread
            self.faults.append(fault)

    def another(self) -> Texting:
        """One customer more, who is looked at in the end like all others."""
        with self._lock:
            self.customers.append(self.new())
            return self.customers[-1]

    def order(self, one: Texting) -> None:
        self.post(one, ORDER)
        self._hears(one, 1)
        self.post(one, "sí")
        self._hears(one, 2)

    def post(self, one: Texting, text: str) -> None:
        """As a vendor that repeats: the same message again until it is accepted."""
        sid = f"SM{uuid4().hex}"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (status := self.attempt(one, text, sid)) != "200":
            self.refused[status] += 1
            assert time.monotonic() < deadline, f"never accepted, last {status}"
            time.sleep(0.2)

    def attempt(self, one: Texting, text: str, sid: str) -> str:
        """One webhook; its HTTP status, or what became of the connection."""
        try:
            return str(signed_request(one.stack.url, "/webhooks/twilio", one.form(text, sid)))
        except HTTPError as error:
            error.close()
            return str(error.code)
        except (URLError, OSError) as error:
            return type(error).__name__

    def _hears(self, one: Texting, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(one.heard()) < count:
            assert time.monotonic() < deadline, f"{one.number} waits, heard {one.heard()}\n{one.stack.log_tail()}"
            time.sleep(0.02)
        self.answered.append(time.monotonic())

    def until_answered(self, count: int, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until so many answers more have come."""
        target, deadline = len(self.answered) + count, time.monotonic() + seconds
        while len(self.answered) < target:
            assert not self.faults, self.faults
            assert time.monotonic() < deadline, f"{len(self.answered)} of {target} answers"
            time.sleep(0.02)

    def seconds_to_answer(self, since: float, count: int = 3) -> float:
        """From then until so many answers have come: of three, one at least was asked for since."""
        while len(after := [at for at in self.answered if at > since]) < count:
            assert not self.faults, self.faults
            assert time.monotonic() < since + PATIENCE_SECONDS, "answers never flow again"
            time.sleep(0.02)
        return after[count - 1] - since


@contextmanager
def ordering(new: Callable[[], Texting], threads: int = 4) -> Iterator[Load]:
    """Customers order while the block runs. Afterwards each has one order, one question and one answer."""
    load = Load(new)
    crowd = [threading.Thread(target=load.work) for _ in range(threads)]
    for one in crowd:
        one.start()
    try:
        yield load
    finally:
        load.over.set()
        for one in crowd:
            one.join()
    if load.faults:
        raise load.faults[0]
    assert_each_has_one_order(load.customers)


def assert_each_has_one_order(customers: list[Texting]) -> None:
    for one in customers:
        heard = one.heard()
        assert len(heard) == 2, (one.number, heard)
        assert heard[0].startswith("Voy a: "), heard
        assert one.order_numbers()[0] in heard[1], heard
        assert len(one.orders()) == 1, (one.number, one.orders())
