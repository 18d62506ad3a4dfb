"""The product's Celery application with a scripted engine, for tests of the machinery around it.

`celery -A tests.worker_app worker` takes the time of a passage from SCRIPT_SECONDS, and writes
a line to SCRIPT_LOG when it begins a passage and one when its result was recorded. Where RARR_LLM
names a language model's server, passages are revised by that, and only their results noted. With
SCRIPT_INDEX_SECONDS the index of a corpus takes so long, and is told there when it is begun.
"""

import os
import time
from pathlib import Path
from typing import Any

from celery.signals import worker_init

from rarrweb.celery import app

__all__ = ["app"]


def note(word: str, pk: object) -> None:
    with Path(os.environ["SCRIPT_LOG"]).open("a") as log:
        log.write(f"{word} {pk}\n")


@worker_init.connect
def script_the_engine(**kwargs: Any) -> None:
    # Django is set up by now, and the pool is not forked yet.
    from django.conf import settings

    from pipeline.data import corpora
    from pipeline.engine.auto_ais import Scores
    from pipeline.engine.cost import Usage
    from pipeline.engine.engine import Outcome
    from pipeline.rarr.types import Passage, Revision
    from pipeline.runs import execution

    class ScriptedEngine:
        def revise(self, passage: Passage, *, on_progress: object = None, work: object) -> Outcome:
            note("begun", passage.id)
            time.sleep(float(os.environ.get("SCRIPT_SECONDS", "0")))
            return Outcome(
                revision=Revision(passage=passage, text=passage.text.upper()),
                scores=Scores(
                    before=(),
                    after=(),
                    attribution_before=0.25,
                    attribution_after=0.75,
                    preservation=0.9,
                    f1_ap=0.8,
                ),
                usage=Usage(seconds=0.1),
            )

    def index(corpus: Any, *args: Any) -> None:
        note("indexing", corpus.pk)
        time.sleep(float(os.environ["SCRIPT_INDEX_SECONDS"]))

    if "SCRIPT_INDEX_SECONDS" in os.environ:
        corpora._index = index
    ended = execution.Revising.ended

    def end_and_note(self: Any, job: Any, end: Any) -> None:
        ended(self, job, end)
        if end["state"] == "done":
            note("recorded", job.passage.external_id)

    if settings.RARR_LLM == "compact":
        execution.load_engine = lambda config, *, index: ScriptedEngine()  # type: ignore[assignment]
    execution.Revising.ended = end_and_note  # type: ignore[method-assign]
