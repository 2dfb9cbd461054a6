"""What a release adds beside its predecessor: a column, filled for all rows, and an index over it.

Django's state does not know the column, so that today's models run on both.
"""

from django.db import migrations


def add(table: str) -> list[migrations.RunSQL]:
    """Add, fill, index, each with its way back. Runs outside a transaction, as an index beside writers has to."""
    return [
        migrations.RunSQL(
            f"ALTER TABLE {table} ADD COLUMN next_release text NOT NULL DEFAULT 'new'",
            f"ALTER TABLE {table} DROP COLUMN next_release",
        ),
        migrations.RunSQL(f"UPDATE {table} SET next_release = 'filled'", migrations.RunSQL.noop),
        migrations.RunSQL(
            f"CREATE INDEX CONCURRENTLY {table}_next_release ON {table} (next_release)",
            f"DROP INDEX {table}_next_release",
        ),
    ]
