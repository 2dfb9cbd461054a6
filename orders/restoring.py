"""Order numbers after a backup was restored: those given since are not given again."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import F

from aitools import clock
from orders.models import Branch, DayCounter, Shop


@transaction.atomic
def skip_numbers(by: int) -> int:
    """Leave out ``by`` numbers of every branch and day that can be ordered for; how many counters moved.

    The backup does not know which were given between it and the loss; customers
    and kitchen do.
    """
    moved, ahead = 0, Shop.objects.get().max_days_ahead
    for branch in Branch.objects.all():
        today = clock.now().astimezone(branch.zone).date()
        days = [today + timedelta(days=later) for later in range(ahead + 1)]
        DayCounter.objects.bulk_create(
            [DayCounter(branch=branch, business_date=day) for day in days], ignore_conflicts=True
        )
        moved += DayCounter.objects.filter(branch=branch, business_date__in=days).update(last=F("last") + by)
    return moved
