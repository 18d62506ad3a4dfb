"""Auto-AIS of revisions that no system made here: those that came in a file have no figures."""

from collections.abc import Callable
from functools import partial

from pipeline.engine.auto_ais import score, sentences_to_plain
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import (
    load_decontextualizer,
    load_entailment,
    load_splitter,
    versions,
)
from pipeline.models import Revision, Run
from pipeline.rarr.errors import RarrError
from pipeline.runs.stored_revisions import read_revision

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
    for done, row in enumerate(rows.iterator(100), start=1):
        try:
            scores = score_each(read_revision(row))
        except RarrError as error:
            failed.append(f"Passage {row.passage.external_id}: {error}")
        else:
            Revision.objects.filter(pk=row.pk).update(
                sentences=sentences_to_plain(scores),
                attribution_before=scores.attribution_before,
                attribution_after=scores.attribution_after,
                attribution_restrictive=scores.restrictive_after,
                preservation=scores.preservation,
                f1_ap=scores.f1_ap,
            )
        progress(done)
    run.config |= {"entailment": config.entailment, "decontextualizer": config.decontextualizer}
    run.versions = versions() | run.versions
    run.save(update_fields=["config", "versions"])
    return failed
