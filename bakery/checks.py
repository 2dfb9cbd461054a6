"""Settings faults as system checks, and the refusal of servers that run no checks themselves."""

import sys
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks

from aitools.errors import ConfigurationError
from aitools.tools import registry


@checks.register()
def environment_is_complete(app_configs: Any, **kwargs: Any) -> Sequence[checks.CheckMessage]:
    """One error for each environment variable that is missing or malformed."""
    return [checks.Error(str(problem), id="bakery.E001") for problem in settings.ENVIRONMENT_PROBLEMS]


@checks.register()
def tools_are_complete(app_configs: Any, **kwargs: Any) -> Sequence[checks.CheckMessage]:
    """One error for each tool that names a tool nobody declared."""
    try:
        registry.check()
    except ConfigurationError as faults:
        return [checks.Error(fault, id="bakery.E002") for fault in str(faults).splitlines()]
    return []


@checks.register()
def the_models_sdk_is_installed(app_configs: Any, **kwargs: Any) -> Sequence[checks.CheckMessage]:
    """An error where the environment's model needs what is installed apart."""
    if settings.AI_PROVIDER != "gemini":
        return []
    from aitools.providers import gemini

    return [] if gemini.is_installed() else [checks.Error(gemini.NOT_INSTALLED, id="bakery.E003")]


@checks.register(checks.Tags.security, deploy=True)
def demo_is_off(app_configs: Any, **kwargs: Any) -> Sequence[checks.CheckMessage]:
    """A warning of `check --deploy` alone: for `make demo` it is what one wants."""
    text = "DEMO is true: the chat page is open to everybody, without signing in."
    return [checks.Warning(text, id="bakery.W001")] if settings.DEMO else []


def refuse_bad_settings(*, exit_code: int = 1) -> None:
    """End the process with one line for each fault. manage.py does this by itself, servers do not."""
    faults = [message.msg for message in checks.run_checks() if message.is_serious() and not message.is_silenced()]
    if faults:
        for fault in faults:
            print(f"bakery: {fault}", file=sys.stderr, flush=True)
        sys.exit(exit_code)
