"""Typed reading of environment variables. A bad value is a `Problem` to report, not an exception:
the settings can then be imported whole, and every fault is shown at once, one line each."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

import dj_database_url

from aitools import keyring

_Result = TypeVar("_Result")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
#: "*" is any host, a leading dot all below a domain, brackets an IPv6 address.
_HOST = re.compile(r"\*|\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]")


@dataclass(frozen=True)
class Problem:
    """One variable that can't be used: what is wrong, what the variable is for, and a value that would do."""

    variable: str
    fault: str
    purpose: str
    example: str

    def __str__(self) -> str:
        """The one line that the person who starts the desk reads. It never shows the value, which may be secret."""
        return f"{self.variable} {self.fault}: {self.purpose}. Example: {self.variable}={self.example}"


class Environment:
    """Reads variables and remembers the problems. An empty variable counts as not set."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.problems: list[Problem] = []
        self._sealing: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        """The value without surrounding blanks, or the default."""
        return self._variables.get(name, "").strip() or default

    def required(self, name: str, *, purpose: str, example: str) -> str:
        """The value; "" and a problem when it is not set."""
        value = self.text(name)
        if not value:
            self.problems.append(Problem(name, "is not set", purpose, example))
        return value

    def flag(self, name: str, default: bool, *, purpose: str) -> bool:
        """True or False in the usual spellings."""
        value = self.text(name).lower()
        if value in _TRUE | _FALSE:
            return value in _TRUE
        if value:
            self.problems.append(Problem(name, "must be true or false", purpose, str(default).lower()))
        return default

    def number(self, name: str, default: int, *, purpose: str, least: int = 0) -> int:
        """A whole number that is not below `least`."""
        value = self.text(name)
        if value.isdecimal() and int(value) >= least:
            return int(value)
        if value:
            self.problems.append(Problem(name, f"must be a whole number, {least} or more", purpose, str(default)))
        return default

    def choice(self, name: str, default: str, allowed: tuple[str, ...], *, purpose: str) -> str:
        """One of the allowed words."""
        value = self.text(name, default)
        if value in allowed:
            return value
        self.problems.append(Problem(name, f"must be one of {', '.join(filter(None, allowed))}", purpose, default))
        return default

    def matching(self, name: str, pattern: str, *, form: str, purpose: str, example: str) -> str:
        """The value when the whole of it matches the pattern; "" when it is not set or does not."""
        value = self.text(name)
        if value and not re.fullmatch(pattern, value):
            self.problems.append(Problem(name, f"must be {form}", purpose, example))
            return ""
        return value

    def by_language(self, name: str, pattern: str, *, purpose: str, example: str) -> dict[str, str]:
        """Values by language code, written `es=…,en=…`; {} when it is not set or not so."""
        entry = rf"[a-z]{{2}}={pattern}"
        form = "a list of language=value, separated by commas"
        listed = self.matching(name, rf"{entry}(,{entry})*", form=form, purpose=purpose, example=example)
        return dict(entry.split("=", 1) for entry in listed.split(",") if entry)

    def folder(self, name: str, *, purpose: str, example: str) -> str:
        """A folder that is there and can be written to; "" when it is not set or does not do."""
        value = self.text(name)
        if value and not (Path(value).is_dir() and os.access(value, os.W_OK | os.X_OK)):
            self.problems.append(Problem(name, "must be a folder that this user can write to", purpose, example))
            return ""
        return value

    def sealing_keys(self, name: str, *, purpose: str) -> tuple[str, ...]:
        """Keys of 32 bytes in base64, separated by commas; () when it is not set or something else."""
        keys = _parsed(lambda: keyring.parsed(self.text(name)))
        if keys is None:
            form = "must be 32 bytes in base64, or several of them separated by commas"
            example = "$(python -c 'import base64, os; print(base64.b64encode(os.urandom(32)).decode())')"
            self.problems.append(Problem(name, form, purpose, example))
        self._sealing += keys or ()
        return keys or ()

    def secrets(self, suffixes: tuple[str, ...]) -> list[str]:
        """What the log must never show: the values of variables so named, and passwords inside URLs."""
        named = [value for name, value in self._variables.items() if name.endswith(suffixes)]
        urls = [value for value in self._variables.values() if "://" in value]
        passwords = [password for password in map(_password, urls) if password]
        return [*named, *passwords, *map(unquote, passwords), *self._sealing]

    def hosts(self, name: str, default: tuple[str, ...], *, purpose: str, example: str) -> list[str]:
        """Host names separated by commas, as Django compares them: no scheme, no port."""
        value = self.text(name)
        entries = [entry.strip() for entry in value.split(",") if entry.strip()]
        if value and not (entries and all(map(_HOST.fullmatch, entries))):
            form = "must be host names separated by commas, without scheme and port"
            self.problems.append(Problem(name, form, purpose, example))
            return list(default)
        return entries or list(default)

    def url(self, name: str, default: str, schemes: tuple[str, ...], *, purpose: str, example: str) -> str:
        """An address with one of the schemes and a host, without a slash at its end."""
        value = self.text(name, default)
        if not value or _is_url(value, schemes):
            return value.rstrip("/")
        self.problems.append(Problem(name, f"must be a URL beginning with {' or '.join(schemes)}", purpose, example))
        return default

    def origin(self, name: str, default: str, schemes: tuple[str, ...], *, purpose: str, example: str) -> str:
        """Like `url`, but scheme, host and port only."""
        value = self.url(name, default, schemes, purpose=purpose, example=example)
        parts = urlsplit(value)
        if parts.path or parts.query or parts.fragment or parts.username is not None:
            self.problems.append(Problem(name, "must be scheme, host and port only", purpose, example))
        return value

    def database(self, name: str, *, purpose: str, example: str) -> dict[str, Any]:
        """The DATABASES entry for a PostgreSQL URL; {} and a problem when it is missing or something else."""
        value = self.required(name, purpose=purpose, example=example)
        if not value:
            return {}
        entry = _parsed(lambda: dict(dj_database_url.parse(value)))
        if entry is None or entry.get("ENGINE") != "django.db.backends.postgresql" or not entry.get("NAME"):
            self.problems.append(Problem(name, "must be a postgresql:// URL with a database name", purpose, example))
            return {}
        return entry


def _password(url: str) -> str | None:
    return _parsed(lambda: urlsplit(url).password)


def _is_url(value: str, schemes: tuple[str, ...]) -> bool:
    parts = _parsed(lambda: urlsplit(value))
    if parts is None or parts.scheme not in {scheme.removesuffix("://") for scheme in schemes}:
        return False
    if re.search(r"\s", value) or _parsed(lambda: parts.port or 0) is None:
        return False
    return bool(parts.hostname or parts.scheme == "unix")


def _parsed(parse: Callable[[], _Result]) -> _Result | None:
    try:
        return parse()
    except ValueError:
        return None
