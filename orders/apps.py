"""The shop application."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OrdersConfig(AppConfig):
    """Registers the shop's tools with the engine."""

    name = "orders"
    verbose_name = _("Shop")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Importing the tools declares them."""
        import orders.tools  # noqa: F401 — they need the models of a ready registry
