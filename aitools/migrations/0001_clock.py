"""The database clock: wall time plus a setting that only tests use."""

from django.db import migrations

CREATE = """
CREATE OR REPLACE FUNCTION aitools_now() RETURNS timestamptz
LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT clock_timestamp()
    + COALESCE(NULLIF(current_setting('aitools.clock_shift', true), ''), '0')::interval
$$;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.RunSQL(CREATE, "DROP FUNCTION aitools_now();"),
    ]
