"""Whoever is no researcher finds none of the pages about answers with citations."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment
from pipeline.models import ScoringJob, SimilarityJob
from rarrweb.accounts.models import User
from tests.support.answers import judged_answers
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses() -> dict[str, str]:
    campaign = judged_answers()
    run = campaign.runs.get()
    names: dict[str, list[object]] = {
        "annotation:labelled-set": [run.dataset.slug],
        "annotation:statistics": [campaign.slug],
        "annotation:statistic": [campaign.slug, "tables", "csv"],
        "annotation:beside-automatic": [campaign.slug],
        "annotation:compute-similarity": [campaign.slug],
        "pipeline:dataset-statistics": [run.dataset.slug],
        "pipeline:dataset-statistic": [run.dataset.slug, "tables", "csv"],
        "pipeline:compute-similarity": [run.dataset.slug],
        "pipeline:score-run": [run.pk],
        "pipeline:score-dataset": [run.dataset.slug],
        "pipeline:compare-chart": ["svg"],
        "pipeline:download-run": [run.pk],
    }
    return {name: reverse(name, args=args) for name, args in names.items()}


TO_READ = (
    "annotation:labelled-set", "annotation:statistics", "annotation:statistic",
    "annotation:beside-automatic", "pipeline:dataset-statistics", "pipeline:dataset-statistic",
    "pipeline:compare-chart", "pipeline:download-run",
)  # fmt: skip
TO_POST = (
    "annotation:compute-similarity", "pipeline:compute-similarity", "pipeline:score-run",
    "pipeline:score-dataset",
)  # fmt: skip


def nothing_began() -> bool:
    return not ScoringJob.objects.exists() and not SimilarityJob.objects.exists()


@pytest.mark.parametrize("name", TO_READ + TO_POST)
def test_strangers_have_to_sign_in_and_raters_find_nothing(
    client: Client, addresses: dict[str, str], name: str
) -> None:
    ask = client.post if name in TO_POST else client.get
    answer = ask(addresses[name], {"format": "alce"})
    assert (answer.status_code, "next=" in answer.headers["Location"]) == (302, True)
    rater = Assignment.objects.select_related("rater")[0].rater
    for person in (make_user(), rater):
        assert not person.is_researcher
        client.force_login(person)
        assert ask(addresses[name], {"format": "alce"}).status_code == 404
    assert nothing_began()


@pytest.mark.parametrize("name", TO_POST)
def test_work_begins_with_a_post_alone(
    client: Client, addresses: dict[str, str], name: str
) -> None:
    client.force_login(make_user(role=User.Role.RESEARCHER))
    assert client.get(addresses[name]).status_code == 405
    assert nothing_began()
