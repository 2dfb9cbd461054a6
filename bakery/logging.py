"""Log lines: metadata only, one form for all libraries, and no secret whatever the message says."""

import logging
import re
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from typing import Any

import structlog

from bakery.redaction import HIDDEN, secrets_in, without_secrets

_SWEEP = "aitools.tasks.sweep"
# PostgreSQL repeats the row's own values here: names, numbers, what customers wrote.
_DETAIL_IN_TEXT = re.compile(r"(DETAIL|CONTEXT): [^\n]*")
_DETAIL_IN_JSON = re.compile(r'(DETAIL|CONTEXT): (?:[^"\\]|\\[^n])*')
# These write requests, bodies included, or every query below WARNING.
TALKATIVE = ("anthropic", "openai", "httpx2", "httpcore2", "twilio", "urllib3", "django.db.backends", "kombu", "amqp")

_SHARED: Sequence[Any] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    """Hides secrets and rows' values in the finished line: in messages, fields and tracebacks alike."""

    def __init__(self, *, secrets: Iterable[str], **options: Any) -> None:
        super().__init__(**options)
        self._secrets = secrets_in(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets and without the values a database error quotes."""
        line = super().format(record)
        detail = _DETAIL_IN_JSON if line.startswith("{") else _DETAIL_IN_TEXT
        return without_secrets(detail.sub(rf"\1: {HIDDEN}", line), self._secrets)


class WithoutRefusalTrace(logging.Filter):
    """Leaves the line of a refused request and takes its traceback: nothing is broken, somebody was told no."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets the record pass."""
        if getattr(record, "status_code", None) == HTTPStatus.FORBIDDEN:
            record.exc_info = record.exc_text = None
        return True


class WithoutSweeps(logging.Filter):
    """Drops Celery's lines about each sweep that goes well; the sweep itself tells when it found something."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this record is to be written."""
        task = getattr(record, "data", None) or {}
        told = [task.get("name"), *(record.args if isinstance(record.args, tuple) else ())]
        return record.levelno > logging.INFO or _SWEEP not in told


def configuration(*, secrets: Sequence[str], readable: bool) -> dict[str, Any]:
    """The LOGGING setting: `readable` lines for a person, else one JSON object a line."""
    # The default traceback shows local variables, and with them what customers wrote.
    for_people = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    renderer: Any = for_people if readable else structlog.processors.JSONRenderer(sort_keys=True)
    processors: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if not readable:
        processors.append(structlog.processors.format_exc_info)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": RedactingFormatter,
                "secrets": secrets,
                "foreign_pre_chain": _SHARED,
                "processors": [*processors, renderer],
            }
        },
        "filters": {"refusals": {"()": WithoutRefusalTrace}, "sweeps": {"()": WithoutSweeps}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        # These bring handlers of their own, which would bypass the redaction.
        "loggers": {name: {"handlers": [], "propagate": True} for name in ("django", "django.server", "gunicorn.error")}
        | {name: {"level": "WARNING"} for name in TALKATIVE}
        | {"django.request": {"filters": ["refusals"]}}
        | {name: {"filters": ["sweeps"]} for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace")},
    }


def configure_structlog() -> None:
    """Send structlog's events through the standard library, so that one handler sees everything."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
