"""Runs of imported texts: a dataset's answers, revisions of a file (decision 0012)."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.data.bulk_insert import insert_rows
from pipeline.data.datasets import Origin
from pipeline.data.staging import batches, staged_rows
from pipeline.engine.auto_ais import Scores, SentenceScore
from pipeline.engine.cost import Usage
from pipeline.engine.engine import Outcome
from pipeline.importing.passage import report_of
from pipeline.metrics.preservation import preservation_levenshtein
from pipeline.models import Dataset, Passage, Revision, Run
from pipeline.rarr import types
from pipeline.runs.start import RunRefused, check_complete, identity_of, nothing_in
from pipeline.runs.stored_revisions import columns_of, read_revision
from rarrweb import __version__
from rarrweb.accounts.models import User
from rarrweb.web.names import name_error

BATCH = 500
MAX_SYSTEM = 50


def get_unrevised_run(dataset: Dataset, *, created_by: User | None) -> Run:
    """Return the run with the dataset's present texts, made if needed.

    Raises `RunRefused` for a dataset without a text, or during an import.
    """
    check_complete(dataset)
    with transaction.atomic():
        # Who asks for the same at the same moment waits here, and finds it made.
        Dataset.objects.select_for_update().get(pk=dataset.pk)
        count, sentence = identity_of(dataset, _judged(dataset))
        if not count:
            raise RunRefused(nothing_in(dataset))
        made = Run.objects.filter(dataset=dataset, system=Run.UNREVISED, archived_at=None)
        for run in made:
            if run.versions["dataset"] == sentence:
                return run
        return _finished_run(
            map(_columns, _judged(dataset).order_by("pk").iterator(BATCH)),
            system=Run.UNREVISED,
            dataset=dataset,
            config={"system": Run.UNREVISED},
            versions={"dataset": sentence},
            created_by=created_by,
        )


def can_be_judged(dataset: Dataset) -> bool:
    """Return whether its first text has sources, with one query."""
    source = dataset.passages.exclude(text="").values_list("source", flat=True).first()
    return bool(source and source.with_text)


def run_of_file(sender: Dataset, *, staged: Path, origin: Origin, **signal: Any) -> Run | None:
    """Return the run of a file's revisions, made if needed; None if it has none.

    The system is the origin's, the first line's, or "imported".
    """
    # Other keys may match too; `_named` reads the sources.
    names = [row.external_id for row in staged_rows(staged, having=b'"revision":{')]
    if not names:
        return None
    with transaction.atomic():
        Dataset.objects.select_for_update().get(pk=sender.pk)
        file = {"name": origin.file_name, "sha256": origin.sha256}
        known = Run.objects.filter(dataset=sender, config__file__sha256=origin.sha256)
        if run := known.first():
            return run
        passages = _named(sender, names)
        if (first := next(passages, None)) is None:
            return None
        system = origin.system or _system_of(first) or Run.IMPORTED
        return _finished_run(
            map(_columns, chain([first], passages)),
            system=system,
            dataset=sender,
            config={"system": system, "file": file},
            versions={"dataset": identity_of(sender, _judged(sender))[1]},
            created_by=origin.created_by,
        )


def get_manual_run(
    source: Run, texts: Mapping[int, str], *, name: str, created_by: User | None
) -> Run:
    """Return the run of people's revisions of a run's passages, made if needed.

    `texts` are by revision of `source`, whose evidence it keeps; `name` says where they are from.
    """
    digest = hashlib.sha256(json.dumps(sorted(texts.items())).encode()).hexdigest()
    with transaction.atomic():
        Dataset.objects.select_for_update().get(pk=source.dataset_id)
        known = source.dataset.runs.current().filter(config__file__sha256=digest)
        if run := known.first():
            return run
        rows = source.revisions.filter(pk__in=texts).order_by("pk").iterator(BATCH)
        return _finished_run(
            (_manual_columns(row, texts[row.pk]) for row in rows),
            system=Run.HUMAN,
            dataset=source.dataset,
            config={"system": Run.HUMAN, "file": {"name": name, "sha256": digest}},
            versions={
                "dataset": source.versions.get("dataset", ""),
                "evidence": f"run {source.pk}",
            },
            created_by=created_by,
        )


def _manual_columns(row: Revision, text: str) -> dict[str, Any]:
    revised = replace(read_revision(row), text=text, trace=())
    scores = Scores(before=(), preservation=preservation_levenshtein(row.original_text, text))
    return {
        "passage_id": row.passage_id,
        "original_text": row.original_text,
        "context": row.context,
        **columns_of(Outcome(revision=revised, scores=scores, usage=Usage())),
        "usage": {},
    }


def _named(dataset: Dataset, names: list[str]) -> Iterator[Passage]:
    """Yield the passages with these ids and revisions, in order."""
    for some in batches(names, BATCH):
        result = {each.external_id: each for each in dataset.passages.filter(external_id__in=some)}
        for name in some:
            if (passage := result.get(name)) and passage.source.revision:
                yield passage


def _system_of(passage: Passage) -> str:
    """Return the system's name in a line, or ""."""
    system = passage.source.system
    return system if is_system_name(system) else ""


def is_system_name(name: str) -> bool:
    is_clean = name.isprintable() and name == name.strip() and name != Run.UNREVISED
    return is_clean and not name_error(name) and len(name) <= MAX_SYSTEM


def _finished_run(
    rows: Iterator[dict[str, Any]], *, versions: dict[str, Any], **values: Any
) -> Run:
    now = timezone.now()
    run = Run.objects.create(
        versions={"rarrweb": __version__, **versions},
        state=Run.State.FINISHED,
        started_at=now,
        finished_at=now,
        **values,
    )
    while some := list(islice(rows, BATCH)):
        state = Revision.State.DONE
        insert_rows(Revision, some, run=run, state=state, started_at=now, finished_at=now)
        run.passage_count += len(some)
    run.save(update_fields=["passage_count"])
    return run


def _judged(dataset: Dataset) -> QuerySet[Passage]:
    return dataset.passages.exclude(text="")


def _columns(passage: Passage) -> dict[str, Any]:
    source = passage.source
    before = types.Passage(id=passage.external_id, text=passage.text, context=passage.context)
    revised = source.revision
    if revised is None or not revised.text.strip():
        revised = None
    units = tuple(
        SentenceScore(start=unit.start, end=unit.end, text=words, decontextualized=words)
        for unit in source.spans(passage.text)
        for words in [unit.of(passage.text)]
    )
    outcome = Outcome(
        revision=revised
        or types.Revision(passage=before, text=before.text, report=report_of(source.with_text)),
        scores=Scores(
            before=units,
            preservation=preservation_levenshtein(before.text, revised.text) if revised else None,
        ),
        usage=Usage(),
    )
    return {
        "passage_id": passage.pk,
        "original_text": passage.text,
        "context": passage.context,
        **columns_of(outcome),
        # What it cost is not known; an empty text is no side to judge.
        "usage": {},
        **({} if revised else {"text": ""}),
    }
