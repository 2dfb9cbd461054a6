"""The floor's settings: a database, and nothing else."""

from __future__ import annotations

import os
import secrets

from bakery.environment import Environment

SECRET_KEY = secrets.token_hex(16)
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "bench.webhooks.floor"
USE_TZ = True
_database = Environment(os.environ).database("DATABASE_URL", purpose="the same as the desk's", example="")
DATABASES = {"default": {**(_database or {}), "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}}
