"""Django's error pages and mails, without secrets.

Django hides settings by their names, but shows what a form was sent and what
local variables hold: a key is plain text there.
"""

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
