"""Log lines: no secret gets through, wherever it stands."""

import base64
import io
import json
import logging
import logging.config

import pytest
import structlog
from django.contrib.auth.models import User
from django.test import Client

from aitools import keyring
from bakery.logging import RedactingFormatter, configuration, configure_structlog

SECRET = "marker-of-a-secret"


@pytest.fixture(params=[True, False], ids=["readable", "json"])
def written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What our one handler writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    formatter = configuration(secrets=[SECRET, "short"], readable=request.param)["formatters"]["lines"]
    handler.setFormatter(formatter.pop("()")(**formatter))
    monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
    configure_structlog()
    return stream


def test_a_secret_in_a_message_is_hidden(written: io.StringIO) -> None:
    logging.getLogger("anything").warning("calling with %s", SECRET)
    assert SECRET not in written.getvalue()
    assert "[redacted]" in written.getvalue()


def test_a_secret_in_a_field_is_hidden(written: io.StringIO) -> None:
    structlog.get_logger("anything").warning("called", url=f"https://x.example.com/?key={SECRET}")
    assert SECRET not in written.getvalue()
    assert "called" in written.getvalue()


def test_a_secret_in_a_traceback_is_hidden(written: io.StringIO) -> None:
    try:
        int(f"bad key {SECRET}")
    except ValueError:
        logging.getLogger("anything").exception("failed")
    assert SECRET not in written.getvalue()
    assert "ValueError" in written.getvalue()


def test_a_key_that_was_handled_here_and_a_sealed_one_are_hidden(written: io.StringIO, settings: object) -> None:
    settings.SECRETS_KEY = (base64.b64encode(b"l" * 32).decode(),)  # type: ignore[attr-defined]
    sealed = keyring.seal("sk-marker-of-a-stored-key", "here")
    logging.getLogger("anything").warning("sealing %s gave %s", "sk-marker-of-a-stored-key", sealed)
    assert "sealing [redacted] gave [redacted]" in written.getvalue()


def test_the_values_that_a_database_error_quotes_are_hidden(written: io.StringIO) -> None:
    quoted = 'duplicate key\nDETAIL:  Key (address)=(+573000000001, "Ana") already exists.\nand more'
    logging.getLogger("anything").error("failed", exc_info=ValueError(quoted))
    assert "+573000000001" not in written.getvalue()
    assert "Ana" not in written.getvalue()
    assert "and more" in written.getvalue()


def test_bound_fields_stand_in_every_line(written: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(conversation=42):
        logging.getLogger("a.library").warning("told by a library")
    assert "42" in written.getvalue()


def test_production_lines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    formatter = configuration(secrets=[], readable=False)["formatters"]["lines"]
    line = formatter.pop("()")(**formatter).format(
        logging.LogRecord("name", logging.WARNING, __file__, 1, "told", None, None)
    )
    assert {"event": "told", "level": "warning", "logger": "name"}.items() <= json.loads(line).items()


@pytest.mark.parametrize("library", ["openai", "anthropic", "twilio.http_client", "httpx2"])
def test_libraries_that_log_bodies_are_quiet(library: str) -> None:
    assert not logging.getLogger(library).isEnabledFor(logging.INFO)


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the process writes with our whole configuration."""
    stream = io.StringIO()
    for logger in map(logging.getLogger, ("django.request", "celery.app.trace", "celery.worker.strategy")):
        assert logger.filters
    [handler] = [one for one in logging.getLogger().handlers if isinstance(one.formatter, RedactingFormatter)]
    monkeypatch.setattr(handler, "stream", stream)
    return stream


@pytest.mark.django_db
def test_a_refusal_is_one_line(client: Client, configured: io.StringIO) -> None:
    client.force_login(User.objects.create_user("cook", is_staff=True))
    assert client.get("/admin/auth/user/").status_code == 403
    assert "/admin/auth/user/" in configured.getvalue()
    assert "Traceback" not in configured.getvalue()


@pytest.mark.parametrize(("task", "lines"), [("aitools.tasks.sweep", 0), ("aitools.tasks.advance", 1)])
@pytest.mark.parametrize("logger", ["celery.app.trace", "celery.worker.strategy"])
def test_a_sweep_that_went_well_is_no_news(logger: str, task: str, lines: int, configured: io.StringIO) -> None:
    logging.getLogger(logger).info("Task %s", task, extra={"data": {"name": task}})
    assert configured.getvalue().count(task) == lines


def test_a_sweep_that_is_sent_is_no_news(configured: io.StringIO) -> None:
    logging.getLogger("celery.beat").info("Scheduler: Sending due task %s (%s)", "sweep", "aitools.tasks.sweep")
    assert configured.getvalue() == ""


def test_a_sweep_that_failed_is_told(configured: io.StringIO) -> None:
    task = "aitools.tasks.sweep"
    logging.getLogger("celery.app.trace").error("Task %s", task, extra={"data": {"name": task}})
    assert task in configured.getvalue()
