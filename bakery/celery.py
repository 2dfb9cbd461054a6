"""The Celery app and its schedule. Redis carries wake-ups only: losing it loses nothing."""

import os

from celery import Celery
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")

app = Celery("bakery", broker=settings.REDIS_URL)
app.autodiscover_tasks()
