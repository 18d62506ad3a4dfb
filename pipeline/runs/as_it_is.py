"""A dataset as it is: its passages with what came with them, in rows that campaigns can judge.

docs/decisions/0012 says why these are rows of a run that no system did.
"""

import hashlib
from collections.abc import Iterator
from itertools import islice

from django.db import transaction
from django.utils import timezone

from pipeline.engine.auto_ais import Scores, SentenceScore, sentences_to_plain
from pipeline.importing.came_with import revised_of, sources_of, units_of
from pipeline.models import Dataset, Passage, Revision, Run
from pipeline.rarr import types
from pipeline.rarr.plain import to_plain
from pipeline.runs.start import RunRefused
from rarrweb import __version__
from rarrweb.accounts.models import User

BATCH = 500


def run_as_it_is(dataset: Dataset, *, created_by: User | None) -> Run:
    """The run that holds the dataset as it is now, made where there is none yet.

    Raises `RunRefused` for a dataset without passages, or one that is still being imported.
    """
    dataset.refresh_from_db(fields=["is_complete"])
    if not dataset.is_complete:
        raise RunRefused(
            f"A file is still being imported into the dataset {dataset.name!r}. Wait until all "
            "of it is written, or choose another dataset."
        )
    now = timezone.now()
    with transaction.atomic():
        # Who asks for the same at the same moment waits here, and finds it made.
        Dataset.objects.select_for_update().get(pk=dataset.pk)
        count, says = _identity(dataset)
        if not count:
            raise RunRefused(
                f"The dataset {dataset.name!r} has no passages. Upload some first, or choose "
                "another dataset."
            )
        made = Run.objects.filter(dataset=dataset, system=Run.AS_IT_IS, archived_at=None)
        for run in made:
            if run.versions["dataset"] == says:
                return run
        run = Run.objects.create(
            system=Run.AS_IT_IS,
            dataset=dataset,
            config={"system": Run.AS_IT_IS},
            versions={"rarrweb": __version__, "dataset": says},
            created_by=created_by,
            state=Run.State.FINISHED,
            started_at=now,
            finished_at=now,
            passage_count=count,
        )
        rows = (_row(run, passage) for passage in _passages(dataset))
        while some := list(islice(rows, BATCH)):
            Revision.objects.bulk_create(some)
    return run


def _passages(dataset: Dataset) -> Iterator[Passage]:
    return Passage.objects.filter(dataset=dataset).order_by("pk").iterator(BATCH)


def _identity(dataset: Dataset) -> tuple[int, str]:
    """How many passages there are, and what they say, in a line."""
    checksum, count = hashlib.sha256(), 0
    rows = Passage.objects.filter(dataset=dataset).order_by("pk")
    for name, content in rows.values_list("external_id", "content_hash").iterator():
        checksum.update(f"{name}\0{content}\n".encode())
        count += 1
    return count, f"{dataset.slug}: {count} passages, sha256 {checksum.hexdigest()}"


def _row(run: Run, passage: Passage) -> Revision:
    source = passage.source
    text = revised_of(source)
    report = types.Report(
        evidence=tuple(
            types.Evidence(
                title=each["title"],
                url=each["url"],
                text=each["text"],
                document_id="",
                query="",
                relevance=0.0,
            )
            for each in sources_of(source)
        )
    )
    before = types.Passage(id=passage.external_id, text=passage.text, context=passage.context)
    units = tuple(
        SentenceScore(start=unit.start, end=unit.end, text=words, decontextualized=words)
        for unit in units_of(source, passage.text)
        for words in [unit.of(passage.text)]
    )
    return Revision(
        run=run,
        passage=passage,
        state=Revision.State.DONE,
        started_at=run.started_at,
        finished_at=run.finished_at,
        original_text=passage.text,
        context=passage.context,
        text=text,
        result=to_plain(types.Revision(passage=before, text=text or before.text, report=report)),
        sentences=sentences_to_plain(
            Scores(
                before=units,
                after=(),
                attribution_before=None,
                attribution_after=None,
                preservation=None,
                f1_ap=None,
            )
        ),
        is_changed=bool(text) and text != passage.text,
    )
