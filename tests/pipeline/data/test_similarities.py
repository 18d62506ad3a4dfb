"""BERTScore of a set of answers as a worker's job."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.exporting import labelled_answers
from pipeline.data import similarities
from pipeline.data.labelled_answers import answers_of
from pipeline.data.similarities import (
    forget_orphans,
    job_of,
    process_job,
    start_job,
    subject_of,
    waiting_jobs,
    with_scores,
)
from pipeline.engine.loading import load_splitter
from pipeline.metrics.answer_statistics import LabelledAnswer
from pipeline.metrics.bertscore import Vectors
from pipeline.models import Dataset, SimilarityJob
from pipeline.pages.answer_charts import similarity_chart
from rarrweb.accounts.models import User
from tests.support.answers import judged_answers
from tests.support.factories import make_user
from tests.support.hagrid import make_answers
from tests.support.tiny_models import bert_config, make_classifier

pytestmark = pytest.mark.django_db


class Words:
    """A vector for each word: two texts of the same words are the same."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.places: dict[str, int] = {}

    def vectors(self, texts: Sequence[str]) -> list[Vectors]:
        self.asked += texts
        return [
            np.eye(97, dtype=np.float32)[
                [
                    self.places.setdefault(word, len(self.places))
                    for word in text.lower().strip(".").split()
                ]
            ]
            for text in texts
        ]


@pytest.fixture
def tiny(tmp_path: Path, settings) -> str:  # type: ignore[no-untyped-def]
    make_classifier(tmp_path, bert_config(["a", "b"]))
    settings.RARR_BERTSCORE = f"hf:{tmp_path}"
    return settings.RARR_BERTSCORE


def subject(dataset: Dataset) -> str:
    return subject_of("dataset", dataset.pk)


def test_each_sentence_is_compared_with_the_most_similar_one_it_cites() -> None:
    encoder = Words()
    answers = labelled_answers.answers_of(judged_answers())
    found = similarities.similarities(
        answers, encoder=encoder, splitter=load_splitter("blank")
    )  # fmt: skip
    assert [len(each) for each in found] == [2, 1]
    # "It carries two railway" is four of the six words that it cites.
    assert found[0][1] == pytest.approx(2 * (1 * 4 / 6) / (1 + 4 / 6))
    assert len(encoder.asked) == len(set(encoder.asked))


def test_a_job_computes_and_the_chart_shows_it(tiny: str) -> None:
    dataset = make_answers()
    job = start_job(subject(dataset), by=None)
    assert process_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.encoder, job.answers_done) == ("done", tiny, 3)
    assert job.versions[tiny].startswith("config sha256")
    answers = with_scores(answers_of(dataset), job)
    assert [len(each.similarity) for each in answers] == [1, 1, 1]
    chart = similarity_chart(answers)
    assert chart is not None
    assert [(group.name, group.n) for group in chart.groups] == [
        ("attributable", 1), ("not attributable", 2), ("informative", 2),
    ]  # fmt: skip


def test_long_answers_are_encoded_by_fewer(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared, sizes = similarities.similarities, []

    def counted(answers: Sequence[LabelledAnswer], **models: Any) -> list[list[float]]:
        sizes.append(len(answers))
        return compared(answers, **models)

    monkeypatch.setattr(similarities, "similarities", counted)
    dataset = make_answers()
    first, second, _ = map(similarities._length, answers_of(dataset))
    monkeypatch.setattr(similarities, "CHARACTERS", first + second)
    process_job(start_job(subject(dataset), by=None).pk)
    assert sizes == [2, 1]


def test_an_answer_that_changed_since_has_no_figure(tiny: str) -> None:
    dataset = make_answers()
    job = start_job(subject(dataset), by=None)
    process_job(job.pk)
    dataset.passages.filter(external_id="q1-2").update(text="Others know [1].")
    scored = with_scores(answers_of(dataset), job_of(subject(dataset)))
    assert [bool(each.similarity) for each in scored] == [True, False, True]


def test_a_second_request_leaves_a_job_under_way_alone_and_repeats_one_that_is_over(
    tiny: str,
) -> None:
    dataset = make_answers()
    job = start_job(subject(dataset), by=None)
    SimilarityJob.objects.update(state="running", claim="x", lease_until=timezone.now())
    assert start_job(subject(dataset), by=None).state == "running"
    SimilarityJob.objects.update(state="done", claim="", lease_until=None, scores={"a": [1]})
    again = start_job(subject(dataset), by=None)
    assert (again.pk, again.state, again.scores) == (job.pk, "queued", {})


def test_only_one_worker_is_at_a_job_and_a_dead_ones_is_found_again(tiny: str) -> None:
    job = start_job(subject(make_answers()), by=None)
    held = timezone.now() + timedelta(minutes=1)
    SimilarityJob.objects.update(state="running", claim="another", lease_until=held)
    assert not process_job(job.pk)
    SimilarityJob.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert list(waiting_jobs()) == [job]
    assert process_job(job.pk)
    SimilarityJob.objects.update(state="running", lost_leases=1, lease_until=timezone.now())
    process_job(job.pk)
    assert "twice a worker died" in SimilarityJob.objects.get().failure


def test_an_encoder_that_cannot_be_loaded_is_told(settings, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    settings.RARR_BERTSCORE = f"hf:{tmp_path}/nowhere"
    job = start_job(subject(make_answers()), by=None)
    process_job(job.pk)
    job.refresh_from_db()
    assert (job.state, "cannot be loaded" in job.failure) == ("failed", True)


def test_what_was_computed_of_deleted_answers_goes(tiny: str) -> None:
    kept, gone = make_answers(), make_answers(name="Gone", slug="gone")
    for dataset in (kept, gone):
        start_job(subject(dataset), by=None)
    start_job(subject_of(labelled_answers.CAMPAIGN, 9), by=None)
    gone.delete()
    forget_orphans()
    assert [job.subject for job in SimilarityJob.objects.all()] == [subject(kept)]


def test_the_page_starts_it_says_how_far_it_is_and_whose_figures_they_are(
    client: Client, tiny: str
) -> None:
    dataset = make_answers()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    address = reverse("pipeline:compute-similarity", args=[dataset.slug])
    page = reverse("pipeline:dataset-statistics", args=[dataset.slug])
    assert client.get(address).status_code == 405
    waiting = client.post(address, follow=True).content.decode()
    assert "Waiting for a worker." in waiting
    assert 'hx-trigger="every 2s"' in waiting
    process_job(SimilarityJob.objects.get().pk)
    done = client.get(page).content.decode()
    assert "<figcaption>Median F1" in done
    assert "is not the encoder of any paper" not in done
    SimilarityJob.objects.update(encoder="compact")
    assert "is not the encoder of any paper" in client.get(page).content.decode()
    client.force_login(make_user())
    assert client.post(address).status_code == 404


def test_a_campaigns_answers_are_computed_from_its_page(client: Client, tiny: str) -> None:
    campaign = judged_answers()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    client.post(reverse("annotation:compute-similarity", args=[campaign.slug]))
    job = SimilarityJob.objects.get()
    assert process_job(job.pk)
    page = client.get(reverse("annotation:statistics", args=[campaign.slug])).content.decode()
    assert "<figcaption>Median F1" in page
