"""Work on answers with citations begins with a POST alone."""

import pytest
from django.test import Client
from django.urls import reverse

from pipeline.models import ScoringJob
from tests.support.answers import judged_answers

pytestmark = pytest.mark.django_db


def test_work_begins_with_a_post_alone(as_researcher: Client) -> None:
    campaign = judged_answers()
    run = campaign.runs.get()
    for name, argument in {
        "pipeline:score-run": run.pk,
        "pipeline:score-dataset": run.dataset.slug,
    }.items():
        assert as_researcher.get(reverse(name, args=[argument])).status_code == 405
    assert not ScoringJob.objects.exists()
