"""The pages that add raters to a campaign, invite them and let them join."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains

from annotation.judging.claims import claim_next
from annotation.judging.releases import send_back
from annotation.models import Assignment, Campaign, CampaignInvitation, Membership
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_user
from tests.support.pages import html_of
from tests.support.reference_answers import claim

pytestmark = pytest.mark.django_db


def test_a_researcher_judges_too(as_researcher: Client, researcher: User) -> None:
    campaign = make_campaign()
    response = as_researcher.post(f"/campaigns/{campaign.slug}/members/me/", follow=True)
    assert Assignment.objects.get().rater == researcher
    assert response.redirect_chain[-2][0] == f"/tasks/{Assignment.objects.get().pk}/"
    assert response.redirect_chain[-1][0] == f"/campaigns/{campaign.slug}/guidelines/"


def test_people_are_found_by_name_and_added_at_once(
    as_researcher: Client, stranger: User, campaign: Campaign
) -> None:
    url = f"/campaigns/{campaign.slug}/members/"
    other, away = make_user("Stanislav"), make_user("gone")
    User.objects.filter(pk=away.pk).update(is_active=False)
    result = html_of(as_researcher, f"/campaigns/new/people/?q=STAN&campaign={campaign.slug}")
    assert all(f"{name}</span>" in result for name in ("stan", "Stanislav"))
    assert "anna" not in result
    # Without scripts the form itself searches, and keeps what is ticked.
    again = as_researcher.post(f"{url}add/", {"q": "gone", "person": other.pk, "find": "1"})
    assertContains(again, f'value="{other.pk}" checked')
    assertContains(again, "Nobody else has “gone”")
    assert not Membership.objects.filter(user=other).exists()
    both = {"person": [stranger.pk, other.pk]}
    for _ in range(2):
        as_researcher.post(f"{url}add/", both)
    assert campaign.memberships.filter(user__in=[stranger, other]).count() == 2
    assertContains(as_researcher.post(f"{url}add/", {}), "Tick at least one person")
    refused = as_researcher.post(f"{url}add/", {"person": away.pk})
    assertContains(refused, "has no open account")
    assertContains(refused, 'href="#id_person"')


def test_the_raters_of_another_campaign_are_added(
    as_researcher: Client, annotator: User, campaign: Campaign
) -> None:
    later, third = make_campaign(name="Later"), make_campaign(name="Third")
    data = {"same_as": campaign.pk, "also": third.slug}
    as_researcher.post(f"/campaigns/{later.slug}/members/add/", data)
    for each in (later, third):
        assert each.memberships.get().user == annotator


def test_campaigns_in_succession_get_the_same_raters(
    as_researcher: Client, stranger: User, campaign: Campaign
) -> None:
    second = make_campaign(name="Second", questionnaire="intent", sides="both")
    Campaign.objects.filter(pk=second.pk).update(follows=campaign)
    for requests, other in ((campaign, second), (second, campaign)):
        page = html_of(as_researcher, f"/campaigns/{requests.slug}/members/")
        assert f"and {other.name}." in page
    as_researcher.post(f"/campaigns/{second.slug}/members/add/", {"person": stranger.pk})
    assert set(stranger.memberships.values_list("campaign", flat=True)) == {campaign.pk, second.pk}


def test_one_link_lets_a_person_into_several_campaigns(
    as_researcher: Client, stranger: User, campaign: Campaign
) -> None:
    also = make_campaign(name="Stories", questionnaire="intent")
    url = f"/campaigns/{campaign.slug}/"
    assertContains(as_researcher.get(f"{url}members/?also={also.slug}"), "and Stories.")
    path = make_link(as_researcher, campaign, also=also.slug)
    client = Client()
    client.force_login(stranger)
    page = html_of(client, path)
    assert "for each sentence whether the evidence supports" in page  # each says what it asks
    assert "how similar their intent is" in page
    client.post(path)
    assert set(stranger.memberships.values_list("campaign", flat=True)) == {campaign.pk, also.pk}


def test_a_removed_rater_keeps_what_they_submitted(
    as_researcher: Client, annotator: User, campaign: Campaign
) -> None:
    judge_everything(claim(annotator, campaign=campaign))
    membership = Membership.objects.get(user=annotator)
    as_researcher.post(f"/campaigns/{campaign.slug}/members/{membership.pk}/remove/")
    assert not Membership.objects.filter(user=annotator).exists()
    assert "(removed)" in html_of(as_researcher, f"/campaigns/{campaign.slug}/raters/")
    page = html_of(as_researcher, f"/campaigns/{campaign.slug}/")
    assert "(removed)" in page
    assert "1 of 2" in page


def remove(as_researcher: Client, rater: User, campaign: Campaign) -> None:
    membership = campaign.memberships.get(user=rater, role="annotator")
    as_researcher.post(f"/campaigns/{campaign.slug}/members/{membership.pk}/remove/")


def deactivate(as_administrator: Client, rater: User, campaign: Campaign) -> None:
    as_administrator.post(f"/people/{rater.pk}/deactivate/")


@pytest.mark.parametrize("go", [remove, deactivate])
def test_who_is_gone_gives_up_the_slot_even_of_work_that_was_sent_back(
    client: Client, administrator: User, annotator: User, go: Callable[..., None]
) -> None:
    other = make_user()
    campaign = make_campaign(passages=1, raters=(annotator, other))
    claimed = claim(annotator, campaign=campaign)
    judge_everything(claimed)
    send_back(claimed, by=administrator)  # a lease of days
    client.force_login(administrator)
    go(client, annotator, campaign)
    taken = claim(other, campaign=campaign)
    assert (taken.item, taken.slot) == (claimed.item, 1)


def test_an_adjudicator_who_is_removed_goes_on_as_a_rater(
    as_researcher: Client, annotator: User, campaign: Campaign
) -> None:
    adjudicator = campaign.memberships.create(user=annotator, role="adjudicator")
    claimed = claim_next(annotator, campaign=campaign)
    as_researcher.post(f"/campaigns/{campaign.slug}/members/{adjudicator.pk}/remove/")
    assert claim_next(annotator, campaign=campaign) == claimed


# ---- Links --------------------------------------------------------------------------------
def make_link(client: Client, campaign: Campaign, **more: str) -> str:
    """Return the path of a fresh invitation link, as on the researcher's page."""
    data = {"note": "Rater 7", "max_uses": 1, "days": 3, **more}
    made = client.post(f"/campaigns/{campaign.slug}/invite/", data)
    assert "no-store" in made.headers["Cache-Control"]
    page = made.content.decode()
    (link,) = set(re.findall(r"/campaigns/join/[^/\"]+/", page))
    return link


def test_a_link_is_for_the_raters_who_are_missing(
    as_researcher: Client, annotator: User, stranger: User
) -> None:
    campaign = make_campaign(raters_per_item=3)
    url = f"/campaigns/{campaign.slug}/members/"
    for person, missing in ((annotator, 2), (stranger, 1), (make_user(), 1)):
        campaign.memberships.create(user=person)
        page = html_of(as_researcher, url)
        assert f'name="max_uses" value="{missing}"' in page
        assert page.count('class="primary"') == 1
    made = as_researcher.post(f"/campaigns/{campaign.slug}/invite/", {"max_uses": 1, "days": 3})
    assert made.content.decode().count('class="primary"') == 1  # copies the link


def test_a_link_is_shown_once_and_lets_one_person_in(
    as_researcher: Client, annotator: User, stranger: User, campaign: Campaign
) -> None:
    path = make_link(as_researcher, campaign)
    page = html_of(as_researcher, f"/campaigns/{campaign.slug}/members/")
    assert "/campaigns/join/" not in page
    assert "Rater 7" in page
    token = path.split("/")[-2]
    assert token not in str(CampaignInvitation.objects.values().get())
    assert token not in str(dict(as_researcher.session.items()))
    member, client, late = Client(), Client(), Client()
    member.force_login(annotator)  # takes part already, and does not use the link up
    assert member.get(path).headers["Location"] == f"/campaigns/{campaign.slug}/"
    client.force_login(stranger)
    assert "Take part" in html_of(client, path)
    assert not Membership.objects.filter(user=stranger).exists()
    assert client.post(path).headers["Location"] == f"/campaigns/{campaign.slug}/"
    assert Membership.objects.get(user=stranger).role == "annotator"
    late.force_login(make_user())
    assert [late.get(path).status_code, late.post(path).status_code] == [410, 410]


def test_a_new_person_makes_an_account_and_takes_part(
    as_researcher: Client, campaign: Campaign
) -> None:
    path = make_link(as_researcher, campaign)
    client = Client()
    page = client.get(path)
    assert page.headers["Referrer-Policy"] == "strict-origin"
    assert "no-store" in page.headers["Cache-Control"]
    password = "four unrelated words here"
    data = {"username": "nina", "password1": password, "password2": password}
    assert client.post(path, data | {"password2": "other"}).status_code == 200
    assert not User.objects.filter(username="nina").exists()
    assert CampaignInvitation.objects.get().is_usable
    response = client.post(path, data, follow=True)
    nina = User.objects.get(username="nina")
    assert nina.role == ""
    assert Membership.objects.filter(user=nina, campaign=campaign).exists()
    assert "Start judging" in response.content.decode()


def test_an_expired_and_an_unknown_link_let_nobody_in(
    as_researcher: Client, campaign: Campaign
) -> None:
    expired = make_link(as_researcher, campaign)
    CampaignInvitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(expired).status_code == 410
    assert Client().get("/campaigns/join/never-was/").status_code == 404
