"""The WSGI entry point."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
application = get_wsgi_application()

# What is loaded by now is there for good: the garbage collector need not walk through it again,
# which would hold up every thread for a tenth of a second now and then.
gc.collect()
gc.freeze()
