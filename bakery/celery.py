"""The Celery app and its schedule. The broker carries wake-ups only: losing it loses nothing."""

import os
from typing import Any

from celery import Celery, signals
from celery.schedules import crontab
from django.conf import settings
from kombu import Exchange, Queue

from bakery import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")

SWEEP_SECONDS = 15
# What waited so long is dropped. By the clocks of beat and worker, which may be apart: far more than that.
EXPIRY_SECONDS = 3600
# Longer than any task, or the broker hands the same one out twice. A message that a dead worker held
# back for so long delays nothing: the sweep wakes its conversation.
VISIBILITY_SECONDS = 1800

app = Celery("bakery", broker=settings.REDIS_URL)
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_hijack_root_logger=False,
    broker_transport="bakery.broker:Transport",
    broker_use_ssl=broker.tls(settings.REDIS_URL),
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    # A webhook must answer although the broker is down: no second try, and no long wait for the first.
    task_publish_retry=False,
    broker_connection_timeout=2,
    broker_transport_options={
        "global_keyprefix": settings.REDIS_PREFIX,
        "visibility_timeout": VISIBILITY_SECONDS,
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "max_retries": 1,
        "interval_start": 0,
    },
    # Long turns must not keep short sends waiting.
    task_queues=[Queue(name, Exchange(name), routing_key=name) for name in ("turns", "sends")],
    task_default_queue="turns",
    task_routes={"aitools.tasks.deliver": {"queue": "sends"}},
    # In memory: a schedule of seconds needs no file that a crash could spoil.
    beat_scheduler="celery.beat:Scheduler",
    beat_schedule={
        "sweep": {
            "task": "aitools.tasks.sweep",
            "schedule": SWEEP_SECONDS,
            "options": {"expires": EXPIRY_SECONDS, "queue": "sends"},
        },
        # At night in the Americas. By the calendar: an interval would begin anew with each start of beat.
        "purge": {
            "task": "aitools.tasks.purge",
            "schedule": crontab(hour=8, minute=23),
            "options": {"expires": EXPIRY_SECONDS},
        },
    },
)
app.autodiscover_tasks()


@signals.setup_logging.connect
def _keep_our_logging(**kwargs: Any) -> None:
    """Being connected is the effect: Celery then leaves Django's LOGGING, and its redaction, in place."""


@signals.worker_init.connect
@signals.beat_init.connect
def _refuse_bad_settings(**kwargs: Any) -> None:
    from bakery.checks import refuse_bad_settings

    refuse_bad_settings()
