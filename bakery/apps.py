"""What must be in place before anything else runs."""

from django.apps import AppConfig


class BakeryConfig(AppConfig):
    """Makes our Celery app the current one and registers the checks of the environment."""

    name = "bakery"

    def ready(self) -> None:
        """Import for the effect: `shared_task` and the check registry."""
        from bakery import celery, checks  # noqa: F401
