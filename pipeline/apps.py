"""The machine's work: datasets, corpora, runs and revisions."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings

from pipeline.backends.compact.reader import model
from pipeline.backends.compact.text import parsing


def _make_run_of_file(**signal: Any) -> object:
    """Loads what makes runs with the first import: half a second that other commands need not."""
    from pipeline.runs.imported import run_of_file

    return run_of_file(**signal)


class PipelineConfig(AppConfig):
    name = "pipeline"

    def ready(self) -> None:
        from pipeline.data.datasets import passages_imported

        passages_imported.connect(_make_run_of_file)
        # Loads nothing: the models come with their first use, in the process that uses them.
        model.configure(threads=settings.RARR_THREADS, device=settings.RARR_DEVICE)
        parsing.configure(settings.RARR_SPACY_MODEL)
