"""How sure Attr_AIS will be, told before anybody judges."""

import pytest
from django.test import Client
from scipy.stats import t as student

from annotation.campaigns.certainty import Certainty, certainty_of, read_score_spread
from annotation.items.selection import outlook
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.campaigns import make_judgeable_run
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def scored_run(scores: list[float]) -> Run:
    run = make_judgeable_run(passages=len(scores))
    for revision, score in zip(run.revisions.order_by("pk"), scores, strict=True):
        revision.attribution_after = score
        revision.save()
    return run


def guess(run: Run, sample: int | None, side: str = "after") -> Certainty | None:
    found = outlook([run], side, sample_size=sample)
    return certainty_of(found, read_score_spread([run], side))


def test_a_guess_by_the_mean_score_and_what_scores_leave_open() -> None:
    run = scored_run([0.1, 0.9] * 30)
    # Labels vary by 1/4, of which scores leave 0.09 open; of 36 passages t is that of 35.
    times = float(student.ppf(0.975, 35))
    alone = times * (0.25 / 36) ** 0.5
    powered = times * (0.09 / 36 + 0.16 / 60) ** 0.5
    assert guess(run, 36) == Certainty(alone=round(100 * alone), with_auto_ais=round(100 * powered))


def test_where_all_are_judged_or_too_few_auto_ais_adds_nothing_to_the_guess() -> None:
    run = scored_run([0.1, 0.9] * 20)
    for sample in (10, None):
        found = guess(run, sample)
        assert found is not None
        assert found.alone == found.with_auto_ais


def test_without_scores_or_with_one_passage_there_is_no_guess() -> None:
    assert guess(make_judgeable_run(passages=5), None) is None
    assert guess(scored_run([0.5] * 3), 1) is None
    assert guess(scored_run([0.5] * 3), None, "before") is None


def test_the_page_of_a_new_campaign_tells_it() -> None:
    run = scored_run([0.1, 0.9] * 30)
    client = Client()
    client.force_login(make_user(role=User.Role.RESEARCHER))
    asked = f"?run={run.pk}&questionnaire=attribution&sides=after&sampling=random&sample_size=36"
    page = client.get(f"/campaigns/new/outlook/{asked}").content.decode()
    assert "known to about ± 17 points, ± 15 with auto-AIS" in " ".join(page.split())
