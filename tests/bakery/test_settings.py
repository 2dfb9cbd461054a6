"""Starting with wrong settings: every program refuses, with one line for each fault, and repeats no secret."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SERVERS = {
    "web": ["-m", "gunicorn", "bakery.wsgi", "--bind=127.0.0.1:0"],
    "worker": ["-m", "celery", "-A", "bakery", "worker", "--pool=threads"],
    "beat": ["-m", "celery", "-A", "bakery", "beat"],
}
PRODUCTION = {
    "SECRET_KEY": "a-long-random-key-of-more-than-fifty-characters-0123456789",
    "DATABASE_URL": "postgresql://bakery:password@127.0.0.1:5432/bakery",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "PUBLIC_URL": "https://orders.example.com",
    "ALLOWED_HOSTS": "orders.example.com",
}


def start(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    words = [sys.executable, *command]
    return subprocess.run(words, check=False, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60)


def check(*options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return start("manage.py", "check", *options, **PRODUCTION | variables)


def test_production_settings_pass_the_deployment_check() -> None:
    done = check("--deploy", "--fail-level=WARNING")
    assert done.returncode == 0, done.stderr


def test_the_deployment_check_warns_of_a_demo() -> None:
    assert "bakery.W001" in check("--deploy", DEMO="true").stderr
    assert "bakery.W001" not in check(DEMO="true").stderr


def faults(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines that name a fault, without the words Django puts before them."""
    assert done.returncode == 1
    return [line.partition("(bakery.E001) ")[2] for line in done.stderr.splitlines() if "bakery.E001" in line]


def test_what_is_required_is_named_when_missing() -> None:
    shown = faults(check(SECRET_KEY="", DATABASE_URL="", REDIS_URL=""))
    assert [line.split(":")[0] for line in shown] == [
        "DATABASE_URL is not set",
        "REDIS_URL is not set",
        "SECRET_KEY is not set",
    ]


def test_what_is_malformed_is_named_once_with_a_value_that_would_do() -> None:
    wrong = {
        "AI_PROVIDER": "oracle",
        "AI_VENDOR": "acme",
        "ALLOWED_HOSTS": "https://orders.example.com",
        "DATABASE_URL": "sqlite:///file",
        "DEBUG": "perhaps",
        "OPENAI_BASE_URL": "models",
        "PUBLIC_URL": "orders.example.com",
        "REDIS_URL": "redis://127.0.0.1:port",
        "SECRETS_KEY": "short",
        "TWILIO_ACCOUNT_SID": "SK123",
        "TWILIO_API_BASE_URL": "api",
        "TWILIO_SMS_FROM": "the shop",
        "TWILIO_WHATSAPP_FROM": "the shop",
    }
    shown = faults(check(**wrong))
    assert [line.split(" must ")[0] for line in shown] == sorted(wrong)
    assert all(f"Example: {name}=" in line for name, line in zip(sorted(wrong), shown, strict=True))


def test_one_setting_may_need_another() -> None:
    shown = faults(check(AI_PROVIDER="openai", TWILIO_SMS_FROM="+15550100100"))
    assert {line.split(" ")[0] for line in shown} == {
        "AI_MODEL",
        "OPENAI_API_KEY",
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
    }


@pytest.mark.parametrize(
    ("chosen", "missing"),
    [
        ({"AI_PROVIDER": "openai_chat", "AI_VENDOR": "groq"}, ["AI_MODEL", "GROQ_API_KEY"]),
        ({"AI_PROVIDER": "openai_chat", "AI_VENDOR": "vllm"}, ["AI_MODEL"]),
        ({"AI_PROVIDER": "ollama"}, ["AI_MODEL"]),
    ],
    ids=["groq", "vllm", "ollama"],
)
def test_a_vendors_own_key_is_asked_for_where_it_takes_one(chosen: dict[str, str], missing: list[str]) -> None:
    assert [line.split(" ")[0] for line in faults(check(**chosen))] == missing


@pytest.mark.parametrize("server", SERVERS)
def test_no_server_starts_with_wrong_settings(server: str) -> None:
    done = start(*SERVERS[server], **PRODUCTION | {"SECRET_KEY": ""})
    assert done.returncode in {1, 3}
    assert "bakery: SECRET_KEY is not set: " in done.stderr


@pytest.mark.parametrize(("url", "secure"), [("https://orders.example.com", True), ("http://localhost:8000", False)])
def test_cookies_are_for_tls_only_when_the_address_is(url: str, secure: bool) -> None:
    show = "from bakery import settings as s; print(getattr(s, 'SESSION_COOKIE_SECURE', False), s.DEBUG)"
    assert start("-c", show, **PRODUCTION | {"PUBLIC_URL": url}).stdout.split() == [str(secure), "False"]
