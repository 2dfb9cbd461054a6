"""What every test needs: real PostgreSQL and Valkey, the settings, and no network but the loopback address."""

import os
from pathlib import Path

from bakery.local.__main__ import provide

os.environ.setdefault("BAKERY_LOCAL_FSYNC", "off")
provide(os.environ, Path(os.environ.get("BAKERY_LOCAL_DIR", Path(__file__).parent.parent / ".local" / "test")))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
