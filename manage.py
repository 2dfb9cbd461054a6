#!/usr/bin/env python
"""Django's command line for the bakery desk."""

import os
import sys


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakery.settings")
    # A command counts for itself: in the folder of the servers it would leave a file each time.
    os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
