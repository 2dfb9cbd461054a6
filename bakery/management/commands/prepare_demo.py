"""`manage.py prepare_demo`: tables, static files, the sample bakery and a staff user, each only where missing."""

import io
import os
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from aitools.models import BotProfile
from orders.models import Shop

SAMPLE = settings.BASE_DIR / "orders" / "samples" / "bakery.json"


class Command(BaseCommand):
    """Refuses outside the demo: it would overwrite a real menu and password."""

    help = "Prepare the database of the demo. Only for DEMO=true."

    def handle(self, *args: Any, **options: Any) -> None:
        """Idempotent; a later start leaves menu and profile as people left them."""
        if not settings.DEMO:
            raise CommandError("This is not a demo: DEMO is not true.")
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        load_sample()
        call_command("sync_roles", verbosity=0)
        _make_profile()
        _make_staff_user(os.environ["DEMO_USER"], os.environ["DEMO_PASSWORD"])


def load_sample() -> None:
    """Load the sample bakery, unless there is a shop: prices edited since, or another menu, are the person's own."""
    if not Shop.objects.exists():
        call_command("load_menu", str(SAMPLE), stdout=io.StringIO())


def _make_profile() -> None:
    """People try the demo between other things: half an hour to answer, and little waiting."""
    BotProfile.objects.get_or_create(name="Demo", defaults={"confirm_seconds": 1800, "settle_seconds": 1})


def _make_staff_user(name: str, password: str) -> None:
    user, _ = get_user_model().objects.get_or_create(
        username=name, defaults={"is_staff": True, "is_superuser": True, "email": "demo@example.com"}
    )
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
