"""Archiving and deleting campaigns: no work is lost unawares."""

import pytest
from django.test import Client

from annotation.campaigns.lifecycle import close_campaign, delete_campaign, deletion_preview
from annotation.models import Campaign, Item, Judgment, Participant
from pipeline.models import Revision
from rarrweb.accounts.models import User
from rarrweb.web.deletion import DeletionRefused
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.crowds import enter, judge_one, make_crowd, participant_named
from tests.support.pages import page_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(annotator: User) -> Campaign:
    """A closed campaign in which somebody has judged one item of two."""
    campaign = make_campaign(raters=(annotator,))
    judge_everything(claim(annotator, campaign=campaign))
    close_campaign(campaign)
    return campaign


def test_the_accounts_of_a_crowd_go_with_their_campaign_and_no_others() -> None:
    campaign, other = make_campaign(name="Gone"), make_campaign(name="Stays")
    gone, stays = make_crowd(campaign), make_crowd(other)
    browser = enter(gone)
    judge_one(participant_named(gone))
    enter(stays)
    with pytest.raises(DeletionRefused, match="Close it first"):
        delete_campaign(campaign)
    close_campaign(campaign)
    assert (
        dict(deletion_preview(campaign).lost)["Accounts of participants and imported raters"] == "1"
    )
    delete_campaign(campaign)
    assert Participant.objects.get().crowd == stays
    assert User.objects.filter(participation=None, role="").count() == 0
    assert browser.get("/study/").status_code < 500


def test_judgments_are_deleted_once_the_name_is_typed_and_the_revisions_stay(
    as_researcher: Client, judged: Campaign
) -> None:
    lost = dict(deletion_preview(judged).lost)
    assert lost["Items"] == "2"
    assert lost["Judgments"] == f"{Judgment.objects.count()} of 1 person"
    address = f"/campaigns/{judged.slug}/delete/"
    page = as_researcher.get(address).content.decode()
    assert f'href="/campaigns/{judged.slug}/export/"' in page
    for typed in ("", "bridges", "Bridges 2"):
        answer = as_researcher.post(address, {"name": typed}).content.decode()
        assert "Type the name exactly as it is: Bridges" in answer
        assert Judgment.objects.exists()
    as_researcher.post(address, {"name": "Bridges"})
    for model in (Campaign, Item, Judgment):
        assert not model.objects.exists()
    assert Revision.objects.count() == 2


def test_a_researcher_archives_a_closed_campaign_and_no_rater_does(
    as_researcher: Client, annotator: User, judged: Campaign
) -> None:
    going = make_campaign(name="Going")
    rater = Client()
    rater.force_login(annotator)
    data = {"action": "archive", "row": [judged.pk, going.pk]}
    rater.post("/campaigns/", data)
    assert not Campaign.objects.exclude(archived_at=None).exists()
    assert f'href="/campaigns/{judged.slug}/delete/"' in page_of(as_researcher, judged)
    page = as_researcher.post("/campaigns/", data, follow=True).content.decode()
    assert "“Going” is not archived" in page
    assert "Undo" in page
    assert list(Campaign.objects.current()) == [going]
    page = page_of(as_researcher, judged)
    assert '<span class="chip">Archived</span>' in page
    assert ">Unarchive</button>" in page
