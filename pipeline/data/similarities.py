"""BERTScore of answers against the quotes they cite, as a worker's job (HAGRID, Figure 3b)."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from pipeline.backends.model_revisions import revisions_of
from pipeline.data.labelled_answers import answers_of
from pipeline.data.staging import batches
from pipeline.engine.loading import load_model, load_splitter, versions
from pipeline.jobs import leases, queue
from pipeline.jobs.turns import FREE, left_to_workers, take_turn
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.citation_marks import without_citations
from pipeline.models import Dataset, SimilarityJob
from pipeline.rarr.ports import SentenceSplitter
from rarrweb.accounts.models import User

if TYPE_CHECKING:
    from pipeline.metrics.bertscore import Vectors

logger = logging.getLogger(__name__)

AT_ONCE = 32
"""Answers whose texts are encoded together; the job's row tells how far it is after each batch."""
CHARACTERS = 200_000
"""Fewer answers where they are long: the vectors of so many characters take some 200 MB."""
State = SimilarityJob.State


class Encoder(Protocol):
    def vectors(self, texts: Sequence[str]) -> list[Vectors]: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """A kind of thing that has labelled answers."""

    answers: Callable[[int], list[LabelledAnswer] | None]
    """Of the one with this key; None where it is gone."""
    is_there: Callable[[int], bool]


def _answers_of_dataset(pk: int) -> list[LabelledAnswer] | None:
    dataset = Dataset.objects.filter(pk=pk).first()
    return None if dataset is None else answers_of(dataset)


SUBJECTS: dict[str, Subject] = {
    "dataset": Subject(_answers_of_dataset, lambda pk: Dataset.objects.filter(pk=pk).exists()),
}
"""By name; another app adds its own."""


def subject_of(kind: str, pk: int) -> str:
    """What `SimilarityJob.subject` calls it."""
    return f"{kind} {pk}"


def job_of(subject: str) -> SimilarityJob | None:
    """The job of these answers, with what it has computed. One query."""
    return SimilarityJob.objects.filter(subject=subject).first()


def start_job(subject: str, *, by: User | None) -> SimilarityJob:
    """Have a worker compute it by the encoder of RARR_BERTSCORE, unless one is at it."""
    with transaction.atomic():
        jobs = SimilarityJob.objects.select_for_update()
        job, is_new = jobs.get_or_create(subject=subject)
        if job.is_open and not is_new:
            return job
        SimilarityJob.objects.filter(pk=job.pk).update(
            state=State.QUEUED, encoder=settings.RARR_BERTSCORE, versions={}, scores={},
            answers_done=0, answers_total=0, failure="", lost_leases=0, created_by=by,
            finished_at=None, **FREE,
        )  # fmt: skip
        transaction.on_commit(partial(queue.send, queue.COMPUTE_SIMILARITY, [job.pk]))
    job.refresh_from_db()
    return job


def with_scores(
    answers: Iterable[LabelledAnswer], job: SimilarityJob | None
) -> list[LabelledAnswer]:
    """The answers with what a finished job says of them; a changed one has nothing."""
    scores = job.scores if job and job.state == State.DONE else {}
    return [replace(each, similarity=tuple(scores.get(digest_of(each), ()))) for each in answers]


def waiting_jobs() -> QuerySet[SimilarityJob]:
    """Jobs that wait for a worker, or whose worker died and let its lease run out."""
    return left_to_workers(SimilarityJob.objects.filter(state__in=SimilarityJob.OPEN))


def process_job(job_id: int) -> bool:
    """Compute it; False if another worker is at it, or nobody wants it any more.

    Safe to call at any time, also after a crash. The row tells how it ended.
    """
    return take_turn(
        waiting_jobs(), job_id, _compute, set_aside=_set_aside, state=State.RUNNING, answers_done=0
    )


def forget_orphans() -> None:
    """Remove what was computed of answers that are deleted."""
    for job in SimilarityJob.objects.only("subject"):
        kind, pk = _parts(job.subject)
        if kind in SUBJECTS and not SUBJECTS[kind].is_there(pk):
            job.delete()


def similarities(
    answers: Sequence[LabelledAnswer], *, encoder: Encoder, splitter: SentenceSplitter
) -> list[list[float]]:
    """For each answer the F1 of each of its sentences that cites, with the sentence of the quotes
    it cites that is most like it.

    An answer that nobody has cut into sentences is one.
    """
    from pipeline.metrics.bertscore import bertscore

    pairs = [
        [
            (
                without_citations(sentence.text),
                [
                    span.of(answer.quotes[place])
                    for place in sentence.cited
                    for span in splitter(answer.quotes[place])
                ],
            )
            for sentence in answer.sentences or [answer]
            if sentence.cited
        ]
        for answer in answers
    ]
    texts = list(dict.fromkeys(text for of in pairs for one, many in of for text in (one, *many)))
    vectors = dict(zip(texts, encoder.vectors(texts), strict=True)) if texts else {}
    return [
        [
            max(found)
            for one, many in of
            if (found := [s.f1 for m in many if (s := bertscore(vectors[one], vectors[m]))])
        ]
        for of in pairs
    ]


def digest_of(answer: LabelledAnswer) -> str:
    """The same for the same text, sentences and cited quotes, whatever its labels are."""
    said = [answer.text, *(each.text for each in answer.sentences)]
    said += [answer.quotes[place] for place in answer.cited]
    return hashlib.sha256("\0".join(said).encode(errors="replace")).hexdigest()[:24]


def _set_aside(job: SimilarityJob) -> str:
    fix = "Choose a smaller encoder (RARR_BERTSCORE), or a machine with more memory."
    return leases.set_aside_sentence("this computation", fix=fix)


def _compute(job: SimilarityJob, mine: QuerySet[SimilarityJob], lease: leases.Lease) -> None:
    kind, pk = _parts(job.subject)
    answers = SUBJECTS[kind].answers(pk)
    if answers is None:
        mine.delete()
        return
    mine.update(answers_total=len(answers))
    encoder = load_model("token_vectors", job.encoder)
    splitter = load_splitter(settings.RARR_SPACY_MODEL)
    scores: dict[str, list[float]] = {}
    done = 0
    for some in batches(answers, AT_ONCE, length=_length, characters=CHARACTERS):
        found = similarities(some, encoder=encoder, splitter=splitter)
        scores |= {
            digest_of(answer): [round(value, 6) for value in values]
            for answer, values in zip(some, found, strict=True)
            if values
        }
        done += len(some)
        lease.confirm()
        mine.update(answers_done=done)
    lease.confirm()
    mine.update(
        state=State.DONE, scores=scores, versions=versions() | revisions_of([job.encoder]),
        finished_at=timezone.now(), **FREE,
    )  # fmt: skip


def _length(answer: LabelledAnswer) -> int:
    return len(answer.text) + sum(map(len, answer.quotes))


def _parts(subject: str) -> tuple[str, int]:
    kind, _, pk = subject.rpartition(" ")
    return kind, int(pk)
