"""Environment to settings. Faults become system checks (`bakery.checks`), so all are told at once."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from bakery.environment import Environment

BASE_DIR = Path(__file__).resolve().parent.parent

_environment = Environment(os.environ)
ENVIRONMENT_PROBLEMS = _environment.problems

# Who we are on the network

DEBUG = _environment.flag("DEBUG", False, purpose="developer pages that show code and settings")
# The demo opens the chat page to everybody; only `make demo` sets it.
DEMO = _environment.flag("DEMO", False, purpose="the chat page without signing in")
SECRET_KEY = _environment.required(
    "SECRET_KEY",
    purpose="signs sessions and forms",
    example="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')",
)
# Encrypts the secrets that staff type into the admin.
SECRETS_KEY = _environment.text("SECRETS_KEY")
PUBLIC_URL = _environment.url(
    "PUBLIC_URL",
    "http://localhost:8000",
    ("http://", "https://"),
    purpose="the address under which providers and staff reach the desk; signatures are computed over it",
    example="https://orders.example.com",
)
_public = urlsplit(PUBLIC_URL)
ALLOWED_HOSTS = _environment.names("ALLOWED_HOSTS", (_public.hostname or "localhost", "localhost", "127.0.0.1"))
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]

# Services

_database = _environment.database(
    "DATABASE_URL",
    purpose="the PostgreSQL (15 or newer) that holds everything",
    example="postgresql://bakery:password@127.0.0.1:5432/bakery",
)
DATABASES: dict[str, Any] = {}
if _database:
    # No pool: pools do not survive a fork, and idle threads would keep what they hold.
    DATABASES["default"] = _database | {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
REDIS_URL = _environment.required(
    "REDIS_URL", purpose="the Redis or Valkey that carries wake-ups", example="redis://127.0.0.1:6379/0"
)
# Keeps apart several desks, or tests, on one Redis.
REDIS_PREFIX = _environment.text("REDIS_PREFIX", "bakery:")

# Providers and channels

AI_PROVIDER = _environment.choice(
    "AI_PROVIDER", "offline", ("offline", "anthropic", "openai"), purpose="the kind of the first model endpoint"
)
AI_MODEL = _environment.text("AI_MODEL")
ANTHROPIC_API_KEY = _environment.text("ANTHROPIC_API_KEY")
OPENAI_API_KEY = _environment.text("OPENAI_API_KEY")
AITOOLS_PROMPT_BUILDER = "orders.prompts.build"
AITOOLS_PROVIDERS = {
    "anthropic": "aitools.providers.anthropic.AnthropicProvider",
    "openai": "aitools.providers.openai.OpenAIProvider",
    "scripted": "aitools.providers.scripted.ScriptedProvider",
    "offline": "orders.offline.provider.OfflineProvider",
}
TWILIO_ACCOUNT_SID = _environment.text("TWILIO_ACCOUNT_SID")
TWILIO_AUTH_TOKEN = _environment.text("TWILIO_AUTH_TOKEN")
TWILIO_SMS_FROM = _environment.text("TWILIO_SMS_FROM")
TWILIO_WHATSAPP_FROM = _environment.text("TWILIO_WHATSAPP_FROM")
TWILIO_API_BASE_URL = _environment.url(
    "TWILIO_API_BASE_URL",
    "",
    ("http://", "https://"),
    purpose="where Twilio's API is, when not at Twilio",
    example="https://api.twilio.com",
)

# Django

INSTALLED_APPS = [
    "bakery.apps.BakeryConfig",
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "aitools",
    "orders",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "bakery.urls"
WSGI_APPLICATION = "bakery.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "admin:login"
# The largest webhook is some kilobytes; menu files and pictures come through the admin.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

LANGUAGE_CODE = "es"
LANGUAGES = [("es", _("Spanish")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
# Serves what collectstatic has not gathered: a fresh clone and the tests work without that step.
WHITENOISE_USE_FINDERS = True
