"""The site's table of contents."""

from django.contrib import admin
from django.urls import include, path

from annotation.views.home import home
from rarrweb import script_texts
from rarrweb.health import healthz

urlpatterns = [
    path("", home, name="home"),
    path("", include("rarrweb.accounts.urls")),
    path("", include("pipeline.urls")),
    path("", include("annotation.urls")),
    path("healthz", healthz, name="healthz"),
    path("texts/<slug:language>/<slug:version>.js", script_texts.catalog, name="script-texts"),
    path("admin/", admin.site.urls),
]
