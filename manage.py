#!/usr/bin/env python
"""Django's command line for rarrweb."""

import os
import sys


def has_no_tables() -> bool:
    """Return whether the database answers and migrations are missing."""
    from django.db import DatabaseError

    from rarrweb.operations.health import is_migrated

    try:
        return not is_migrated()
    except DatabaseError:
        return False


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except DatabaseError:
        if sys.argv[1] == "migrate" or not has_no_tables():
            raise
        sys.stderr.write(
            "The database lacks tables of this version: "
            "run “manage.py migrate”, then this command again.\n"
        )
        sys.exit(2)
