"""Django's error pages and mails, without secrets.

Django hides settings by their names, but shows what a form was sent and what
local variables hold: a key is plain text there.
"""

from collections.abc import ItemsView
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter

from bakery.redaction import without_secrets


class HidingFilter(SafeExceptionReporterFilter):
    """Hides what was typed into fields named like secrets, on the developers' page too."""

    def get_post_parameters(self, request: HttpRequest | None) -> Any:
        """What the form was sent, by name."""
        sent = super().get_post_parameters(request)
        return {name: self.cleanse_setting(name, value) for name, value in sent.items()}

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: Any) -> ItemsView[str, Any]:
        """A frame's local variables by name, without secrets."""
        found = super().get_traceback_frame_variables(request, tb_frame)
        return {name: _Shown(value) for name, value in found}.items()


class _Shown:
    """A variable as one piece of text: Django wraps and cuts long ones, and a part of a key tells much of it."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return without_secrets(repr(self._value), settings.ENVIRONMENT_SECRETS)


class HidingReporter(ExceptionReporter):
    """Hides all that is known to be secret in the finished report."""

    def get_traceback_html(self) -> SafeString:
        """The page, or the mail's second form."""
        return _hiding(super().get_traceback_html())

    def get_traceback_text(self) -> SafeString:
        """The mail's text."""
        return _hiding(super().get_traceback_text())


def _hiding(report: str) -> SafeString:
    """Django has escaped it; what is put in its place is plain."""
    return SafeString(without_secrets(report, settings.ENVIRONMENT_SECRETS))
