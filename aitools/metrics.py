"""What is counted for Prometheus, by the verb that did it and after its commit.

Counting asks no database and never fails what it counts.  Labels come from
closed sets: names in our code and settings, never a customer's words or number.

With ``PROMETHEUS_MULTIPROC_DIR`` each process counts in files of that folder and
a scrape of any of them shows all; without, a process knows its own counts only.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from decimal import Decimal
from functools import wraps
from typing import ParamSpec

from prometheus_client import CollectorRegistry, Counter, Histogram, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

log = logging.getLogger(__name__)

P = ParamSpec("P")

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: Seconds; a model that takes a minute has failed.
MODEL_BUCKETS = (0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60)


def _identity() -> str:
    """Containers that share the folder may have equal process ids."""
    return f"{socket.gethostname()}-{os.getpid()}"


# Before the first metric is made. The library's own choice names files by the process id alone.
if os.environ.get(FOLDER_VARIABLE):
    values.ValueClass = values.MultiProcessValue(_identity)  # type: ignore[no-untyped-call]
else:
    values.ValueClass = values.MutexValue

REGISTRY = CollectorRegistry(auto_describe=True)


def _counter(name: str, meaning: str, *labels: str) -> Counter:
    return Counter(name, meaning, labels, registry=REGISTRY)


TURNS = _counter("aitools_turns", "Turns that ended, by outcome.", "outcome")
TOOLS = _counter("aitools_tool_calls", "Tool calls, by tool and what became of them.", "tool", "outcome")
CONFIRMATIONS = _counter("aitools_confirmations", "Questions asked, and what became of them.", "outcome")
EVENTS = _counter("aitools_loop_events", "Events of turns as a whole, such as guarded replies.", "kind")
SENDS = _counter("aitools_sends", "Messages to customers, by what became of them.", "channel", "status")
STOPS = _counter("aitools_sender_stops", "Senders left alone for a while: refused, or asked to rest.", "channel", "why")
WEBHOOKS = _counter("aitools_webhooks", "Requests with inbound events, by what became of them.", "channel", "result")
UNSUPPORTED = _counter("aitools_unsupported", "Inbound messages, and parts of webhooks, that we can't read.", "channel")
SET_ASIDE = _counter("aitools_set_aside", "Inbound events that a fault of ours could not take.", "channel", "kind")
LEASES_LOST = _counter("aitools_leases_lost", "Passes whose conversation another worker, or a person, took.")
SWEEPS = _counter("aitools_sweeps_found", "Sweeps that found work nobody had been woken for.", "work")
MODEL_FAILURES = _counter("aitools_model_failures", "Requests without a reply.", "kind", "error")
MODEL_COST = _counter("aitools_model_cost_dollars", "What replies cost, where prices are known.", "kind")
MODEL_SECONDS = Histogram(
    "aitools_model_seconds", "Time to a model's reply.", ["kind"], buckets=MODEL_BUCKETS, registry=REGISTRY
)


# Series that are there before their first event, so that an alarm sees the first one as an increase.
for _outcome in ("done", "cancelled", "failed"):
    TURNS.labels(_outcome)
for _work in ("turns", "deliveries"):
    SWEEPS.labels(_work)


def harmless(count: Callable[P, None]) -> Callable[P, None]:
    """A full disk or a bug in counting is logged and changes nothing else."""

    @wraps(count)
    def counted(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            count(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, what was counted has happened
            log.warning("%s was not counted: %s", count.__name__, type(error).__name__)

    return counted


@harmless
def turn_ended(outcome: str) -> None:
    TURNS.labels(outcome).inc()


@harmless
def tool_called(tool: str, outcome: str) -> None:
    TOOLS.labels(tool, outcome).inc()


@harmless
def confirmation(outcome: str) -> None:
    CONFIRMATIONS.labels(outcome).inc()


@harmless
def event(kind: str) -> None:
    EVENTS.labels(kind).inc()


@harmless
def sent(channel: str, status: str) -> None:
    SENDS.labels(channel, status).inc()


@harmless
def sender_stopped(channel: str, why: str) -> None:
    STOPS.labels(channel, why).inc()


@harmless
def webhook(channel: str, result: str) -> None:
    WEBHOOKS.labels(channel, result).inc()


@harmless
def unsupported(channel: str) -> None:
    UNSUPPORTED.labels(channel).inc()


@harmless
def set_aside(channel: str, kind: str) -> None:
    SET_ASIDE.labels(channel, kind).inc()


@harmless
def lease_lost() -> None:
    LEASES_LOST.inc()


@harmless
def sweep_found(work: str) -> None:
    SWEEPS.labels(work).inc()


@harmless
def model_replied(kind: str, seconds: float) -> None:
    MODEL_SECONDS.labels(kind).observe(seconds)


@harmless
def model_failed(kind: str, error: str) -> None:
    MODEL_FAILURES.labels(kind, error).inc()


@harmless
def model_cost(kind: str, cost: Decimal | None) -> None:
    if cost is not None:
        MODEL_COST.labels(kind).inc(float(cost))


def counted() -> Collector:
    """All counts that can be seen from here: this process's, or those of all that share the folder."""
    folder = os.environ.get(FOLDER_VARIABLE)
    return MultiProcessCollector(None, path=folder) if folder else REGISTRY  # type: ignore[no-untyped-call]
