"""The engine as a Django application."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AitoolsConfig(AppConfig):
    name = "aitools"
    verbose_name = _("Conversations")
    default_auto_field = "django.db.models.BigAutoField"
