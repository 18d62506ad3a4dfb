"""Under which version of the instructions a judgment was given, in files and on pages."""

import hashlib
from functools import partial

import pytest
from django.test import Client

from annotation.guidelines import versions
from annotation.judging.answers import AnswerUpdate, save_judgments, submit
from annotation.models import Assignment, Campaign, Item, Judgment
from annotation.raters.memberships import add_member
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.exports import lines_of, manifest_of, rows_of
from tests.support.factories import make_user
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def judge(item: Item, rater: User, *values: int, under: tuple[int | None, ...]) -> None:
    """Submitted work, each answer given under its own version."""
    times = {"claimed_at": "2026-05-04T12:00Z", "lease_until": "2036-05-04T12:00Z"}
    slot = item.assignments.count() + 1
    assignment = Assignment.objects.create(item=item, rater=rater, slot=slot, **times)
    answer = partial(AnswerUpdate, criterion="attributable", sequence=1)
    answers = [
        answer(target=n, value=value, guidelines_version=version)
        for n, (value, version) in enumerate(zip(values, under, strict=True))
    ]
    save_judgments(assignment, answers)
    assert submit(assignment) == []


@pytest.fixture
def campaign(researcher: User) -> Campaign:
    """One item, judged by two raters who differ and had read different versions."""
    raters = make_user(), make_user()
    made = make_campaign(passages=1, raters_per_item=2, raters=raters)
    versions.save_version(made, text="Twice.", note="Twice!", by=researcher, based_on=1)
    item = made.items.get()
    judge(item, raters[0], 1, 1, 1, under=(1, 1, 2))
    judge(item, raters[1], 0, 1, 1, under=(2, 2, None))
    return made


def test_table_and_manifest_have_the_version_of_each_judgment(campaign: Campaign) -> None:
    manifest = manifest_of(campaign)
    assert manifest["counts"]["guidelines"] == {"1": 2, "2": 3, "unknown": 1}
    first, second = manifest["campaign"]["guidelines"]
    assert (first["version"], first["note"]) == (1, "")
    assert (second["version"], second["note"]) == (2, "Twice!")
    assert second["sha256"] == hashlib.sha256(b"Twice.").hexdigest()
    assert [row["guidelines"] for row in rows_of(campaign)] == ["1", "1", "2", "2", "2", ""]


def test_gold_edits_have_it_too(annotator: User) -> None:
    campaign = make_campaign(passages=1, raters=(annotator,), questionnaire="manual_revision")
    assignment = claim(annotator, campaign)
    change = {"criterion": "revision", "target": 0, "value": 1, "sequence": 1}
    save_judgments(assignment, [AnswerUpdate(**change, text="New.", guidelines_version=1)])
    assert submit(assignment) == []
    assert [line["guidelines"] for line in lines_of(campaign, "gold_edits")] == [1]


def test_where_raters_differ_the_versions_are_next_to_it(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = as_researcher.get(f"/campaigns/{campaign.slug}/differences/").content.decode()
    for number in (1, 2):
        assert f'/campaigns/{campaign.slug}/guidelines/{number}/">v{number}</a>' in page
    item = campaign.items.get()
    words = as_researcher.get(f"/adjudicate/{item.pk}/").content.decode()
    assert "Instructions when they answered" in words
    assert words.count(">v2</a>") == 2
    assert words.count(">v1</a>") == 1
    assert "Newest: v2." in words


def test_one_version_alone_is_not_mentioned(as_researcher: Client, researcher: User) -> None:
    made = make_campaign(passages=1, raters_per_item=2, raters=(make_user(),))
    add_member(made, user=researcher)
    item = made.items.get()
    judge(item, researcher, 1, 1, 1, under=(1, 1, 1))
    judge(item, made.memberships.exclude(user=researcher).get().user, 0, 1, 1, under=(1, 1, 1))
    for path in (f"/campaigns/{made.slug}/differences/", f"/adjudicate/{item.pk}/"):
        assert "v1</a>" not in as_researcher.get(path).content.decode()
    assert Judgment.objects.exclude(guidelines_version=1).count() == 0
