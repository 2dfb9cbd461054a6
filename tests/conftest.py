"""What every test needs: real PostgreSQL and Valkey, and the settings. Sockets are limited in pyproject.toml."""

import os
from pathlib import Path

import django
from django.conf import settings as django_settings
from django.db import connections

from bakery.local.__main__ import provide

os.environ.setdefault("BAKERY_LOCAL_FSYNC", "off")
provide(os.environ, Path(os.environ.get("BAKERY_LOCAL_DIR", Path(__file__).parent.parent / ".local" / "test")))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
# Beside a running demo, or another run, on the same broker.
os.environ.setdefault("REDIS_PREFIX", f"test-{os.getpid()}:")
# pytest-django does this before conftest files are read, when there is no database to name yet.
django.setup()

# Slow on purpose in production; tests make many users.
django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Handler threads close their connections at once, so that the test database can be dropped.
connections.settings["default"]["CONN_MAX_AGE"] = 0
