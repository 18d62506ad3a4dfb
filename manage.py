#!/usr/bin/env python
"""Django's command line for rarrweb."""

import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # The sentence names the variable and the fix; a traceback would only hide it.
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
