"""The texts of static/js in the site's language: one script, which a browser asks for once.

The modules take `gettext` and `ngettext` from static/js/texts.js, which finds them in Django's
catalog. Its address names the language and a checksum, so that it may be kept for good.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import get_language, override
from django.views.decorators.http import require_safe
from django.views.i18n import JavaScriptCatalog

KEPT = "private, max-age=31536000, immutable"
"""For the version that the address names; another one is asked about each time."""


class Catalog(JavaScriptCatalog):
    """Ours alone: the admin brings its own."""

    packages = ("annotation", "pipeline", "rarrweb.accounts")


@cache
def _catalog(language: str) -> tuple[str, bytes]:
    """The version and the text of a language's catalog; read once a process."""
    with override(language):
        text: bytes = Catalog().get(None).content
    return sha256(text).hexdigest()[:16], text


forget: Callable[[], None] = _catalog.cache_clear
"""After other translations came in; a process of the product never needs it."""


def address() -> str:
    """Where the catalog of the language in use is."""
    language = get_language() or settings.LANGUAGE_CODE
    version, _ = _catalog(language)
    return reverse("script-texts", args=[language, version])


def script_texts(request: HttpRequest) -> dict[str, Callable[[], str]]:
    """For templates: the address is worked out where one names it, so not for fragments."""
    return {"script_texts": address}


@require_safe
def catalog(request: HttpRequest, language: str, version: str) -> HttpResponse:
    """The catalog of a language. A page of an older version gets today's, and keeps it not."""
    if language not in dict(settings.LANGUAGES):
        raise Http404
    current, text = _catalog(language)
    response = HttpResponse(text, content_type="text/javascript; charset=utf-8")
    response.headers["Cache-Control"] = KEPT if version == current else "private, no-cache"
    return response
