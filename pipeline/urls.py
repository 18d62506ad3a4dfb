"""The pipeline pages."""

from django.urls import URLPattern

app_name = "pipeline"
urlpatterns: list[URLPattern] = []
