"""Today's settings, with the next release's migrations."""

from bakery.settings import *  # noqa: F403

MIGRATION_MODULES = {
    "aitools": "tests.outages.next_release.aitools.migrations",
    "orders": "tests.outages.next_release.orders.migrations",
}
