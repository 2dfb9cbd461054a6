from typing import ClassVar

from django.db import migrations

from tests.outages.next_release.columns import add
from tests.outages.next_release.newest import newest


class Migration(migrations.Migration):
    atomic = False
    dependencies: ClassVar = [("orders", newest("orders"))]
    operations: ClassVar = add("orders_order")
