"""The WSGI entry point."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template

from rarrweb.accounts.request_checks import utf8_only

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
application = utf8_only(get_wsgi_application())

# Parse the judging templates now, not while the first raters wait.
_templates = settings.BASE_DIR / "templates"
for _path in _templates / "base.html", *(_templates / "annotation/judging").glob("*.html"):
    get_template(_path.relative_to(_templates).as_posix())

# Exempt what is loaded now from garbage collections, which would stop all threads for 0.1 s.
gc.collect()
gc.freeze()
