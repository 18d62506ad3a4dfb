"""A rater's list of their items."""

import pytest
from django.test import Client
from django.utils import timezone

from annotation.campaigns.lifecycle import close_campaign
from annotation.judging.answers import AnswerUpdate, Comment, save_judgments
from annotation.judging.claims import claim_next
from annotation.judging.skips import skip
from annotation.models import Assignment
from annotation.raters.memberships import add_member
from annotation.results.reliability import rater_reports
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_assignment, make_campaign
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def links(client: Client, address: str) -> list[str]:
    page = client.get(address).context["rows"]
    return [each.get_absolute_url() for each in page]


def test_the_list_has_ones_own_items_and_nobody_elses(
    as_annotator: Client, annotator: User
) -> None:
    other = make_user()
    campaign = make_campaign(passages=4, raters=(annotator, other))
    done = claim(annotator)
    judge_everything(done)
    skipped = claim(annotator)
    skip(skipped, reason="upsetting")
    begun = claim(annotator)
    claim_next(other)
    urls = [f"/tasks/{each.pk}/" for each in (begun, skipped, done)]
    assert links(as_annotator, "/tasks/") == urls
    for show, url in zip(("begun", "skipped", "submitted"), urls, strict=True):
        assert links(as_annotator, f"/tasks/?show={show}&campaign={campaign.slug}") == [url]
    assert len(links(as_annotator, "/tasks/?show=nonsense&page=x")) == 3


def test_another_campaign_narrows_the_list_and_a_strangers_is_not_there(
    as_annotator: Client, annotator: User
) -> None:
    mine = make_assignment(annotator, name="Rivers")
    make_assignment(annotator, name="Bridges")
    make_campaign(name="Not mine")
    assert links(as_annotator, "/tasks/?campaign=rivers") == [mine.get_absolute_url()]
    assert as_annotator.get("/tasks/?campaign=not-mine").status_code == 404
    assert as_annotator.get("/tasks/?campaign=nowhere").status_code == 404
    judge_everything(mine)
    close_campaign(mine.item.campaign)
    page = as_annotator.get("/tasks/?campaign=rivers").content.decode()
    assert "Submitted" in page
    assert "Open or change" not in page
    annotator.memberships.all().delete()
    assert "You have no items yet" in as_annotator.get("/tasks/").content.decode()


def answer(value: int | None, sequence: int) -> AnswerUpdate:
    return AnswerUpdate(criterion="attributable", target=0, value=value, sequence=sequence)


def test_only_a_change_after_the_submission_is_recorded_as_one(annotator: User) -> None:
    assignment = make_assignment(annotator)
    rating = AnswerUpdate(criterion="useful", target=0, value=1, sequence=1)
    save_judgments(assignment, [answer(0, 1), answer(1, 2), rating])
    judge_everything(assignment)
    assert assignment.edited_at is None
    save_judgments(assignment, [answer(1, 3)])  # the same again
    save_judgments(assignment, [answer(0, 2)])  # an old one, replayed
    assert assignment.edited_at is None
    before = timezone.now()
    save_judgments(assignment, [answer(0, 4)])
    assert assignment.edited_at is not None
    assert assignment.edited_at >= before
    for change in (
        {"answers": [], "comment": Comment(text="On second thoughts", sequence=5)},
        {"answers": [AnswerUpdate(criterion="useful", target=0, value=None, sequence=6)]},
    ):
        earlier = assignment.edited_at
        save_judgments(assignment, **change)
        assignment.refresh_from_db()
        assert assignment.submitted_at is not None
        assert assignment.edited_at > earlier


def test_the_raters_report_has_medians_of_what_was_timed(
    as_researcher: Client, annotator: User
) -> None:
    campaign = make_campaign(passages=4, raters=(annotator,))
    judge_everything(claim(annotator))
    add_member(campaign, user=make_user())
    [report] = rater_reports(campaign).values()
    assert (report.active, report.clicks) == (None, None)
    page = as_researcher.get(f"/campaigns/{campaign.slug}/reliability/").content.decode()
    for words in ("Rater statistics", annotator.username, "not timed"):
        assert words in page, "also with one rater per item"
    for active, clicks in ((10_000, 3), (30_000, 9), (0, 0)):
        assignment = claim(annotator)
        judge_everything(assignment)
        Assignment.objects.filter(pk=assignment.pk).update(
            active_ms=active, clicks=clicks, keys=1, edited_at=timezone.now() if active else None
        )
    [report] = rater_reports(campaign).values()
    assert report.active is not None
    assert (report.active.value, report.active.n) == (20.0, 2)
    assert report.clicks is not None
    assert (report.clicks.value, report.edited, report.submitted) == (6, 2, 4)
