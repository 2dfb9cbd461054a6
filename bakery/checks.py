"""Settings faults as system checks, and the same refusal for servers that run no checks themselves."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register()
def environment_is_complete(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """One error for each environment variable that is missing or malformed."""
    return [Error(str(problem), id="bakery.E001") for problem in settings.ENVIRONMENT_PROBLEMS]
