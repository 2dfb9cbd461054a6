"""Environment to settings. Faults become system checks (`bakery.checks`), so all are told at once."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from django.utils.translation import gettext_lazy as _

from aitools.providers.vendors import VENDORS
from bakery import logging as log_lines
from bakery.environment import Environment
from bakery.unfold import UNFOLD  # noqa: F401

# Lets `ModelAdmin[Order]` be written, which Django's own classes allow only to the type checker.
django_stubs_ext.monkeypatch()

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
# The first one seals what staff enter, all of them open it.
SECRETS_KEY = _environment.sealing_keys("SECRETS_KEY", purpose="seals the models' keys that staff enter")
PUBLIC_URL = _environment.origin(
    "PUBLIC_URL",
    "http://localhost:8000",
    ("http://", "https://"),
    purpose="the address under which providers and staff reach the desk; signatures are computed over it",
    example="https://orders.example.com",
)
_public = urlsplit(PUBLIC_URL)
ALLOWED_HOSTS = _environment.hosts(
    "ALLOWED_HOSTS",
    (_public.hostname or "localhost", "localhost", "127.0.0.1"),
    purpose="the names under which browsers and providers reach the desk",
    example="orders.example.com,localhost",
)
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
_redis = {"purpose": "the Redis or Valkey that carries wake-ups", "example": "redis://127.0.0.1:6379/0"}
_environment.required("REDIS_URL", **_redis)
REDIS_URL = _environment.url("REDIS_URL", "", ("redis://", "rediss://", "unix://"), **_redis)
# Keeps apart several desks, or tests, on one Redis.
REDIS_PREFIX = _environment.text("REDIS_PREFIX", "bakery:")

# Providers and channels

_VENDORS = {
    "anthropic": "ANTHROPIC",
    "openai": "OPENAI",
    "openai_chat": "OPENAI",
    "gemini": "GEMINI",
    "ollama": "OLLAMA",
}
AI_PROVIDER = _environment.choice(
    "AI_PROVIDER", "offline", ("offline", *_VENDORS), purpose="the kind of the first model endpoint"
)
AI_MODEL = _environment.text("AI_MODEL")
AI_VENDOR = _environment.choice(
    "AI_VENDOR", "", ("", *VENDORS), purpose="who is meant by AI_PROVIDER=openai_chat; empty: another server"
)
ANTHROPIC_API_KEY = _environment.text("ANTHROPIC_API_KEY")
OPENAI_API_KEY = _environment.text("OPENAI_API_KEY")
GEMINI_API_KEY = _environment.text("GEMINI_API_KEY")
# The adapters read these themselves; here only their form is checked.
_base_urls = {f"{_prefix}_BASE_URL" for _prefix in _VENDORS.values()}
if AI_PROVIDER != "offline":
    AI_MODEL = _environment.required(
        "AI_MODEL", purpose=f"the model to ask at AI_PROVIDER={AI_PROVIDER}", example="the-name-of-the-model"
    )
    _chat = VENDORS.get(AI_VENDOR) if AI_PROVIDER == "openai_chat" else None
    _prefix = _chat.variables if _chat else _VENDORS[AI_PROVIDER]
    _base_urls.add(f"{_prefix}_BASE_URL")
    if not (_prefix == "OLLAMA" or (_chat and _chat.keyless)):
        _environment.required(f"{_prefix}_API_KEY", purpose=f"AI_PROVIDER={AI_PROVIDER} needs it", example="sk-…")
for _name in sorted(_base_urls):
    _environment.url(
        _name, "", ("http://", "https://"), purpose="where that vendor's API is", example="https://models.example.com"
    )
AITOOLS_PROMPT_BUILDER = "orders.prompts.build"
AITOOLS_CLAIMS = "orders.claims.unbacked"
AITOOLS_ADDRESS_CHANGED = "orders.customers.address_changed"
AITOOLS_PLACES = "orders.places.described"
AITOOLS_SHOP_NAME = "bakery.title.shop_name"
AITOOLS_TIME_ZONE = "bakery.localtime.shop_zone"
AITOOLS_PROVIDERS = {
    "anthropic": "aitools.providers.anthropic.AnthropicProvider",
    "openai": "aitools.providers.openai.OpenAIProvider",
    "openai_chat": "aitools.providers.openai_chat.OpenAIChatProvider",
    "gemini": "aitools.providers.gemini.GeminiProvider",
    "ollama": "aitools.providers.ollama.OllamaProvider",
    "scripted": "aitools.providers.scripted.ScriptedProvider",
    "offline": "orders.offline.provider.OfflineProvider",
}
AITOOLS_CHANNELS = {
    "twilio_sms": "aitools.channels.twilio.TwilioSms",
    "twilio_whatsapp": "aitools.channels.twilio.TwilioWhatsApp",
    "whatsapp_cloud": "aitools.channels.whatsapp.WhatsAppCloud",
    "web": "aitools.channels.web.WebChannel",
    "console": "aitools.channels.console.ConsoleChannel",
}

TWILIO_SMS_FROM = _environment.matching(
    "TWILIO_SMS_FROM",
    r"\+?[0-9]{3,15}|MG[0-9a-f]{32}",
    form="a phone number or a messaging service",
    purpose="who sends our SMS",
    example="+15550100100",
)
TWILIO_WHATSAPP_FROM = _environment.matching(
    "TWILIO_WHATSAPP_FROM",
    r"(whatsapp:)?\+[0-9]{7,15}|MG[0-9a-f]{32}",
    form="a phone number or a messaging service",
    purpose="who sends our WhatsApp messages",
    example="+15550100100",
)
TWILIO_ACCOUNT_SID = _environment.matching(
    "TWILIO_ACCOUNT_SID",
    r"AC[0-9a-fA-F]{32}",
    form="AC and 32 hexadecimal digits",
    purpose="the Twilio account",
    example="AC00000000000000000000000000000000",
)
TWILIO_AUTH_TOKEN = _environment.text("TWILIO_AUTH_TOKEN")
# Only for webhooks that a shared key signs instead of the account's token.
TWILIO_SHARED_KEY_SECRET = _environment.text("TWILIO_SHARED_KEY_SECRET")
if TWILIO_SMS_FROM or TWILIO_WHATSAPP_FROM:
    for _name in ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"):
        _environment.required(_name, purpose="a Twilio sender is set and needs it", example="from Twilio's console")
TWILIO_QUESTION_CONTENT_SIDS = _environment.by_language(
    "TWILIO_QUESTION_CONTENT_SIDS",
    r"HX[0-9a-fA-F]{32}",
    purpose="the Content templates that carry WhatsApp questions with buttons",
    example="es=HX00000000000000000000000000000000",
)
TWILIO_LATE_CONTENT_SIDS = _environment.by_language(
    "TWILIO_LATE_CONTENT_SIDS",
    r"HX[0-9a-fA-F]{32}",
    purpose="the approved Content templates that carry a text a day after the customer's last message",
    example="es=HX00000000000000000000000000000000",
)
TWILIO_SMS_PER_SECOND = _environment.number(
    "TWILIO_SMS_PER_SECOND", 10, least=1, purpose="how many SMS a second one of our numbers hands to Twilio"
)
TWILIO_WHATSAPP_PER_SECOND = _environment.number(
    "TWILIO_WHATSAPP_PER_SECOND", 80, least=1, purpose="how many WhatsApp messages a second one of our numbers sends"
)
TWILIO_API_BASE_URL = _environment.url(
    "TWILIO_API_BASE_URL",
    "",
    ("http://", "https://"),
    purpose="where Twilio's API is, when not at Twilio",
    example="https://api.twilio.com",
)

WHATSAPP_PHONE_NUMBER_ID = _environment.matching(
    "WHATSAPP_PHONE_NUMBER_ID",
    r"[0-9]{5,40}",
    form="digits: the number's id at Meta, not the number",
    purpose="who sends our WhatsApp messages through Meta's Cloud API",
    example="100000000000177",
)
WHATSAPP_TOKEN = _environment.text("WHATSAPP_TOKEN")
WHATSAPP_APP_SECRET = _environment.text("WHATSAPP_APP_SECRET")
WHATSAPP_VERIFY_TOKEN = _environment.text("WHATSAPP_VERIFY_TOKEN")
if WHATSAPP_PHONE_NUMBER_ID:
    for _name in ("WHATSAPP_TOKEN", "WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN"):
        _environment.required(_name, purpose="a Cloud API number is set and needs it", example="from Meta's console")
WHATSAPP_LATE_TEMPLATES = _environment.by_language(
    "WHATSAPP_LATE_TEMPLATES",
    r"[a-z0-9_]{1,512}(:[a-z]{2,3}(_[A-Z]{2})?)?",
    purpose="the approved templates that carry a text a day after the customer's last message",
    example="es=news_of_your_order:es_CO",
)
WHATSAPP_PER_SECOND = _environment.number(
    "WHATSAPP_PER_SECOND", 80, least=1, purpose="how many messages a second one of our numbers sends"
)
WHATSAPP_API_BASE_URL = _environment.url(
    "WHATSAPP_API_BASE_URL",
    "",
    ("http://", "https://"),
    purpose="where Meta's Graph API is, when not at Meta",
    example="https://graph.facebook.com",
)
# Meta ends a version some two years after its release.
WHATSAPP_API_VERSION = (
    _environment.matching(
        "WHATSAPP_API_VERSION",
        r"v[0-9]+\.[0-9]+",
        form="a version of the Graph API",
        purpose="the version of Meta's API that we speak",
        example="v23.0",
    )
    or "v23.0"
)

# Watching

METRICS_TOKEN = _environment.text("METRICS_TOKEN")
# The engine reads it from the environment when it is imported: what will not do must not stand there.
if not _environment.folder(
    "PROMETHEUS_MULTIPROC_DIR",
    purpose="where the processes of this machine count, so that one scrape shows all",
    example="/run/bakery-metrics",
):
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)

# Customers

CONTACT_TURNS_PER_MINUTE = _environment.number(
    "CONTACT_TURNS_PER_MINUTE", 20, purpose="how often the bot answers one contact in a minute, 0 for no cap"
)
CONTACT_TURNS_PER_HOUR = _environment.number(
    "CONTACT_TURNS_PER_HOUR", 120, purpose="how often the bot answers one contact in an hour, 0 for no cap"
)
MEDIA_MAX_MEGABYTES = _environment.number(
    "MEDIA_MAX_MEGABYTES", 16, least=1, purpose="how large a picture, voice note or document is fetched to be shown"
)

# Django

INSTALLED_APPS = [
    "bakery.apps.BakeryConfig",
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "ninja",
    "aitools",
    "orders",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "bakery.security.content_security_policy",
    "bakery.security.storable_query",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "bakery.localtime.shop_time",
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
LOGIN_REDIRECT_URL = "admin:index"
# The largest webhook is some kilobytes; menu files and pictures come through the admin.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

LANGUAGE_CODE = "es"
LANGUAGES = [("es", _("Spanish")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATICFILES_DIRS = [path for path in (BASE_DIR / "static",) if path.is_dir()]
STATIC_ROOT = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

# TLS

if _public.scheme == "https" and not DEBUG:
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SILENCED_SYSTEM_CHECKS = [
    # TLS ends at a proxy, which redirects; here a proxy without X-Forwarded-Proto would make it an endless loop.
    "security.W008",
    # Preloading binds the whole domain for months: for the shop to decide, not for a default.
    "security.W021",
]

# Logging and error reports

ENVIRONMENT_SECRETS = _environment.secrets(("_TOKEN", "_KEY", "_SECRET"))
LOGGING = log_lines.configuration(secrets=ENVIRONMENT_SECRETS, readable=DEBUG or DEMO)
DEFAULT_EXCEPTION_REPORTER = "bakery.error_reports.HidingReporter"
DEFAULT_EXCEPTION_REPORTER_FILTER = "bakery.error_reports.HidingFilter"
