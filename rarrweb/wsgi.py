"""The WSGI entry point."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.template.loader import get_template

from rarrweb.web.request_checks import utf8_only

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rarrweb.settings")
application = utf8_only(get_wsgi_application())

# The pages of judging are parsed now, and not while the first raters wait, all of them at once.
_templates = settings.BASE_DIR / "templates"
for _path in _templates / "base.html", *(_templates / "annotation/judging").glob("*.html"):
    get_template(_path.relative_to(_templates).as_posix())

# What is loaded by now is there for good: the garbage collector need not walk through it again,
# which would hold up every thread for a tenth of a second now and then.
gc.collect()
gc.freeze()
