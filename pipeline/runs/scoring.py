"""Auto-AIS of revisions that no system made here: those that came in a file have no figures."""

from collections.abc import Callable
from functools import partial

from pipeline.engine.auto_ais import score
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import (
    load_decontextualizer,
    load_entailment,
    load_splitter,
    versions,
)
from pipeline.models import Revision, Run
from pipeline.rarr.errors import RarrError
from pipeline.runs.stored_revisions import columns_of_scores, read_revision

Progress = Callable[[int], None]


def score_run(run: Run, config: RunConfig, *, progress: Progress) -> list[str]:
    """Score the revisions of an imported run, each stored at once; gives a sentence for each error.

    `config` names the entailment model, the decontextualizer and the parser; the run's
    configuration names them afterwards. Raises `BadConfig` for one that cannot be loaded.
    """
    score_each = partial(
        score,
        entailment=load_entailment(config.entailment),
        splitter=load_splitter(config.spacy_model),
        decontextualizer=load_decontextualizer(config.llm, config.decontextualizer),
    )
    failed: list[str] = []
    rows = Revision.objects.filter(run=run, state=Revision.State.DONE).select_related("passage")
    # One by one: SQLite may refuse to write while a query is open that began before others wrote.
    for done, key in enumerate(list(rows.values_list("pk", flat=True)), start=1):
        row = rows.get(pk=key)
        try:
            scores = score_each(read_revision(row))
        except RarrError as error:
            failed.append(f"Passage {row.passage.external_id}: {error}")
        else:
            Revision.objects.filter(pk=row.pk).update(**columns_of_scores(scores))
        progress(done)
    run.config |= {"entailment": config.entailment, "decontextualizer": config.decontextualizer}
    run.versions = versions() | run.versions
    run.save(update_fields=["config", "versions"])
    return failed
