"""What must be in place before anything else runs."""

from django.apps import AppConfig

from bakery.logging import configure_structlog


class BakeryConfig(AppConfig):
    """Makes our Celery app the current one, registers the checks of the environment, sets up structlog."""

    name = "bakery"

    def ready(self) -> None:
        """Imported for the effect: `shared_task` finds the app, the registry the checks."""
        from bakery import celery, checks  # noqa: F401

        configure_structlog()
