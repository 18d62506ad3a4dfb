"""Scores of imported revisions (auto-AIS) and answers (ALCE's figures, auto-AIS)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.backends.work import WorkContext, for_work
from pipeline.engine.answer_scores import score_cited
from pipeline.engine.auto_ais import ScoringModels, score, sentences_to_plain
from pipeline.engine.configuration import RunConfig
from pipeline.engine.language_models import judge_identity
from pipeline.engine.loading import load_decontextualizer, load_entailment, load_splitter, versions
from pipeline.generation.answer_format import check_format
from pipeline.generation.types import Record
from pipeline.importing.passage import report_of
from pipeline.importing.rows import title_of
from pipeline.jobs import leases, queue
from pipeline.jobs.runner import JobRunner
from pipeline.models import Revision, Run, ScoringJob
from pipeline.rarr import types
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.serialization import to_plain
from pipeline.runs.answer_cache import DatabaseCache
from pipeline.runs.cited_answers import cited_answer, cited_sources
from pipeline.runs.start import RunRefused, count_with_sources
from pipeline.runs.stored_revisions import (
    columns_of_answer_scores,
    columns_of_scores,
    read_revision,
)
from rarrweb.accounts.models import User

Progress = Callable[[int], None]
State = ScoringJob.State
NAMED = 20
"""Limit of named passages that could not be scored."""
NOT_SCORED: dict[str, Any] = {
    "attribution_before": None,
    "attribution_after": None,
    "attribution_restrictive": None,
    "f1_ap": None,
    "marks": "",
    "citation_scores": {},
    "citation_recall": None,
    "citation_precision": None,
    "correctness": None,
}


def can_be_scored(run: Run) -> bool:
    """Return whether the run's texts are imported."""
    return run.is_imported or run.is_unrevised


def check_can_be_scored(run: Run) -> None:
    if not can_be_scored(run):
        raise RunRefused(f"Run {run.pk} came in no file: its texts were scored as they were made.")


def score_run(
    run: Run,
    config: RunConfig,
    *,
    progress: Progress,
    is_resumed: bool = False,
    work: WorkContext | None = None,
) -> list[str]:
    """Score an imported run and store each passage; return a sentence per error.

    `config` names the models, and the run's configuration takes them over. Existing figures are
    deleted, unless the scoring `is_resumed`. `progress` gets the number of passages done. Raises
    `BadConfig` for models that cannot be loaded, and for answers without any source.
    """
    work = work or WorkContext(cache=DatabaseCache())
    scorers = ScoringModels(
        for_work(load_entailment(config.entailment), work),
        load_splitter(config.spacy_model),
        for_work(
            load_decontextualizer(config.step_models["decontextualizer"], config.decontextualizer),
            work,
        ),
    )
    rows = Revision.objects.filter(run=run, state=Revision.State.DONE).select_related("passage")
    if run.is_unrevised and not count_with_sources(run):
        raise BadConfig(
            f"No passage of run {run.pk} came with a source, so there is nothing to score its "
            "citations against."
        )
    if not is_resumed:
        rows.update(**NOT_SCORED)
        run.config |= {
            "entailment": config.entailment,
            "decontextualizer": config.decontextualizer,
            "prompts": config.prompts,
        }
        run.versions = versions() | run.versions | judge_identity(config.entailment)
        run.save(update_fields=["config", "versions"])
    unscored: dict[str, Any] = {"citation_scores": {}} if run.is_unrevised else {"f1_ap": None}
    todo = list(rows.filter(**unscored).order_by("pk").values_list("pk", flat=True))
    behind = rows.count() - len(todo)
    failed: list[str] = []
    # One by one: SQLite may refuse to write during an older query.
    for done, key in enumerate(todo, start=behind + 1):
        row = rows.get(pk=key)
        row.run = run
        before = len(work.calls)
        try:
            columns = _columns(row, scorers)
        except RarrError as error:
            title = title_of(row.passage.external_id, row.original_text)
            failed.append(f"Passage {title}: {error}")
        else:
            plain = [call.to_plain() for call in work.calls[before:]]
            Revision.objects.filter(pk=row.pk).update(**columns, calls=plain)
        progress(done)
    return failed


def _columns(row: Revision, scorers: ScoringModels) -> dict[str, Any]:
    if not row.run.is_unrevised:
        return columns_of_scores(score(read_revision(row), scorers))
    sources = cited_sources(row)
    if not sources:
        return {}
    passage = types.Passage(id="", text=row.original_text, context=row.context)
    scores, answer_scores = score_cited(passage, report_of(sources), cited_answer(row), scorers)
    columns = columns_of_answer_scores(answer_scores)
    # Raters judge the imported units, so `sentences` does not change.
    columns["citation_scores"] |= {"auto_ais": sentences_to_plain(scores)["before"]}
    problems = check_format(row.original_text, sources=len(sources))
    return {
        **columns,
        "attribution_before": scores.attribution_before,
        "generation": to_plain(Record(problems=problems)),
    }


def start_scoring(run: Run, *, by: User | None) -> ScoringJob:
    """Queue the scoring of a run, unless it is in progress.

    Raises `RunRefused` for a run of a system, and `BadConfig`.
    """
    check_can_be_scored(run)
    RunConfig.from_settings()
    with transaction.atomic():
        job, is_new = ScoringJob.objects.select_for_update().get_or_create(run=run)
        if job.is_open and not is_new:
            return job
        # The other columns start anew.
        job = ScoringJob(pk=job.pk, run=run, created_by=by, created_at=job.created_at)
        job.save()
        transaction.on_commit(partial(queue.send, queue.SCORE_RUN, [job.pk]))
    return job


class Scoring(JobRunner[ScoringJob]):
    """Scores a run; a restart skips scored passages."""

    model = ScoringJob
    tasks = (queue.SCORE_RUN,)

    def waiting(self) -> QuerySet[ScoringJob]:
        return ScoringJob.objects.filter(state__in=ScoringJob.OPEN, lease_until=None)

    def claimed(self) -> dict[str, Any]:
        return {"state": State.RUNNING}

    def work(self, job: ScoringJob, lease: leases.Lease) -> dict[str, Any]:
        # A resumed scoring uses its first models, whatever the settings are now.
        is_resumed = job.passages_done > 0
        began = ("entailment", "decontextualizer") if is_resumed else ()
        config = RunConfig.from_settings(overrides={name: job.run.config[name] for name in began})

        def store(done: int) -> None:
            lease.confirm()
            lease.mine.update(passages_done=done)

        failed = score_run(job.run, config, progress=store, is_resumed=is_resumed)
        return {
            "state": State.DONE,
            "failed_passages": failed[:NAMED],
            "finished_at": timezone.now(),
        }

    def crash_message(self, job: ScoringJob) -> str:
        fix = "Choose a smaller model (RARR_ENTAILMENT), or a machine with more memory."
        return leases.crash_sentence("this scoring", fix=fix)
