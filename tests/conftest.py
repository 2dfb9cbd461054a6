"""What every test needs: real PostgreSQL and Valkey, and the settings. Sockets are limited in pyproject.toml."""

import os
from collections.abc import Iterator
from pathlib import Path

import django
import pytest
from django.conf import settings as django_settings
from django.db import connection, connections, transaction
from django.test import TransactionTestCase
from django.utils import translation

from bakery.local.__main__ import provide
from tests.recordings_report import pytest_terminal_summary  # noqa: F401 - pytest finds it here

os.environ.setdefault("BAKERY_LOCAL_FSYNC", "off")
provide(os.environ, Path(os.environ.get("BAKERY_LOCAL_DIR", Path(__file__).parent.parent / ".local" / "test")))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
# Beside a running demo, or another run, on the same broker.
os.environ.setdefault("REDIS_PREFIX", f"test-{os.getpid()}:")
# Tests write faster than any person; those of the caps set them.
os.environ.setdefault("CONTACT_TURNS_PER_MINUTE", "0")
os.environ.setdefault("CONTACT_TURNS_PER_HOUR", "0")
# pytest-django does this before conftest files are read, when there is no database to name yet.
django.setup()

# Slow on purpose in production; tests make many users.
django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
#: Written by migrations; no test changes them.
KEPT_TABLES = frozenset({"django_migrations", "django_content_type", "auth_permission", "aitools_behaviourversion"})
# Handler threads close their connections at once, so that the test database can be dropped.
connections.settings["default"]["CONN_MAX_AGE"] = 0


@pytest.fixture(autouse=True)
def _default_language() -> Iterator[None]:
    """Pages activate their visitor's language for the rest of the thread."""
    yield
    translation.deactivate()


def empty_tables(test_case: object = None) -> None:
    """What Django's flush does, without making permissions anew after every test: that took most of the time.

    Foreign keys are checked at the commit, so the order of the tables does not matter.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        tables = set(connection.introspection.django_table_names(only_existing=True)) - KEPT_TABLES
        cursor.execute("; ".join(f"DELETE FROM {connection.ops.quote_name(table)}" for table in sorted(tables)))


TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]
