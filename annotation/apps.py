"""People's work: campaigns, judgments and the datasets they make."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
