"""The product's Celery application with a scripted engine.

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
    from pipeline.engine.engine import Outcome
    from pipeline.rarr.types import Passage
    from pipeline.runs import execution
    from tests.support.scripted_engine import ScriptedEngine, in_capitals

    def script(passage: Passage) -> Outcome:
        note("begun", passage.id)
        time.sleep(float(os.environ.get("SCRIPT_SECONDS", "0")))
        return in_capitals(passage)

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
        execution.load_engine = lambda config, *, index: ScriptedEngine(script)  # type: ignore[assignment]
    execution.Revising.ended = end_and_note  # type: ignore[method-assign]
