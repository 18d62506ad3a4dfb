"""The site's table of contents."""

from django.urls import include, path

from annotation.views.home import home
from annotation.views.search import search
from rarrweb.health import healthz, readyz
from rarrweb.help.views import help_document, help_screenshot
from rarrweb.metrics import metrics

urlpatterns = [
    path("", home, name="home"),
    path("", include("annotation.urls")),
    path("", include("rarrweb.accounts.urls")),
    path("", include("rarrweb.accounts.allauth_urls")),
    path("", include("pipeline.urls")),
    path("api/", include("rarrweb.api.urls")),
    path("api/", include("pipeline.api.urls")),
    path("api/", include("annotation.api.urls")),
    path("search/", search, name="search"),
    path("help/", help_document, name="help"),
    path("help/screenshots/<str:name>", help_screenshot, name="help-screenshot"),
    path("help/<path:name>/", help_document, name="help-document"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]

handler500 = "rarrweb.busy.server_error_or_busy"
