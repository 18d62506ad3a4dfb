"""The API's schema and the page that tells of it."""

from django.urls import path
from django.views.generic import RedirectView

from rarrweb.api.reference import Schema, reference

app_name = "api"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api:docs"), name="root"),
    path("docs/", reference, name="docs"),
    path("schema/", Schema.as_view({"get": "read"}), name="schema"),
]
