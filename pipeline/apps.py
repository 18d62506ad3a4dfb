"""The machine's work: datasets, corpora, runs and revisions."""

from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "pipeline"
