from typing import ClassVar

from django.db import migrations

from tests.outages.next_release.columns import add
from tests.outages.next_release.newest import newest

TABLES = ("aitools_conversation", "aitools_outboundmessage", "aitools_pendingconfirmation")


class Migration(migrations.Migration):
    atomic = False
    dependencies: ClassVar = [("aitools", newest("aitools"))]
    operations: ClassVar = [operation for table in TABLES for operation in add(table)]
