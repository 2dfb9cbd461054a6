"""What the workers of ``bench.turn_cost`` are forked with: Django, the engine, the shop and the floor."""

from __future__ import annotations

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
django.setup()

from bench import engine_side, floor, wire  # noqa: E402, F401 - needs Django
