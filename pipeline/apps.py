"""The machine's work: datasets, corpora, runs and revisions."""

from django.apps import AppConfig
from django.core.checks import register

from pipeline import checks


class PipelineConfig(AppConfig):
    name = "pipeline"

    def ready(self) -> None:
        for check in checks.ALL:
            register(check)
