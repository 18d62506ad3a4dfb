"""The machine's work: datasets, corpora, runs and revisions."""

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register

from pipeline.backends.compact.reader import model
from pipeline.backends.compact.text import parsing
from pipeline.doctor import system_checks


class PipelineConfig(AppConfig):
    name = "pipeline"

    def ready(self) -> None:
        import pipeline.runs.as_it_is  # noqa: F401  # it listens to imports; models are there now

        for check in system_checks.ALL:
            register(check)
        # Loads nothing: the models come with their first use, in the process that uses them.
        model.configure(threads=settings.RARR_THREADS, device=settings.RARR_DEVICE)
        parsing.configure(settings.RARR_SPACY_MODEL)
