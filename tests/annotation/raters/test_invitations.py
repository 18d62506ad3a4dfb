"""Links into a campaign: one for each name in a list, and one for several people."""

import csv
import io
import re
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from pytest_django.asserts import assertContains

from annotation.models import Campaign, CampaignInvitation, Membership
from annotation.raters import invitations
from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.races import all_at_once

pytestmark = pytest.mark.django_db

PASSWORD = "a long test password"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def links_of(client: Client, names: str = "Anna\n\n Ben \n", **more: str) -> list[dict[str, str]]:
    """The rows of the file that the list is answered with."""
    data = {"names": names, "days": "7", **more}
    response = client.post("/campaigns/bridges/invitations/list/", data)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert "no-store" in response["Cache-Control"]
    assert 'filename="bridges-links.csv"' in response["Content-Disposition"]
    text = response.content.decode().removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        row["link"] = re.sub(r"^https?://[^/]+", "", row["link"])
    return rows


def sign_up(path: str, name: str) -> int:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    return Client().post(path, form).status_code


def test_every_name_gets_a_link_that_works_once(as_researcher: Client, campaign: Campaign) -> None:
    rows = links_of(as_researcher, role="adjudicator")
    assert [row["name"] for row in rows] == ["Anna", "Ben"]
    assert {row["role"] for row in rows} == {"adjudicator"}
    assertContains(Client().get(rows[1]["link"]), "Adjudicate in")
    assert [sign_up(rows[1]["link"], name) for name in ("ben", "ben2")] == [302, 410]
    membership = Membership.objects.get(user__username="ben")
    assert (membership.role, membership.campaign) == ("adjudicator", campaign)
    page = as_researcher.get("/campaigns/bridges/invitations/?state=used").content.decode()
    assert "ben, " in page
    assert "Anna" not in page


def test_an_error_in_the_middle_leaves_no_link(
    campaign: Campaign, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_link = invitation_links.make_link

    def fail_at_the_second(*args: Any, **values: Any) -> object:
        if CampaignInvitation.objects.exists():
            raise OSError("the disk is full")
        return make_link(*args, **values)

    monkeypatch.setattr(invitation_links, "make_link", fail_at_the_second)
    with pytest.raises(OSError, match="disk"):
        invitations.invite_each(
            campaign, names=["Anna", "Ben"], created_by=researcher, days=7, role="annotator"
        )
    assert not CampaignInvitation.objects.exists()


@pytest.mark.parametrize(
    ("names", "days", "error"),
    [
        (" \n", "7", "This field is required"),
        ("Anna", "0", "greater than or equal to 1"),
        ("Anna\nBen\nAnna", "7", "“Anna” is in the list more than once"),
        ("A" * 201, "7", "is longer than 200 characters"),
        ("\n".join(map(str, range(1001))), "7", "More than 1,000 names"),
    ],
)
def test_a_list_with_an_error_makes_no_link(
    as_researcher: Client, campaign: Campaign, names: str, days: str, error: str
) -> None:
    data = {"names": names, "days": days}
    assertContains(as_researcher.post("/campaigns/bridges/invitations/list/", data), error)
    assert not CampaignInvitation.objects.exists()


def test_a_link_is_replaced_until_it_is_used_up(as_researcher: Client, campaign: Campaign) -> None:
    old = links_of(as_researcher)[0]["link"]
    invitation = CampaignInvitation.objects.get(note="Anna")
    renew = f"/campaigns/bridges/invitations/{invitation.pk}/renew/"
    page = as_researcher.post(renew).content.decode()
    new = re.search(r"/campaigns/join/[\w-]+/", page)[0]
    assert [Client().get(link).status_code for link in (old, new)] == [404, 200]
    sign_up(new, "anna")
    assertContains(as_researcher.post(renew, follow=True), "This link is used up")


def shared(campaign: Campaign, by: User, max_uses: int = 2) -> tuple[CampaignInvitation, str]:
    invitation, token = invitations.invite(campaign, created_by=by, max_uses=max_uses)
    return invitation, f"/campaigns/join/{token}/"


def test_a_group_joins_by_one_link_up_to_its_number(
    as_researcher: Client, campaign: Campaign
) -> None:
    data = {"note": "Class", "max_uses": "2", "days": "3", "role": "annotator"}
    page = as_researcher.post("/campaigns/bridges/invite/", data).content.decode()
    assert "2 people in all can join with it" in page
    link = re.search(r"/campaigns/join/[\w-]+/", page)[0]
    assert [sign_up(link, name) for name in ("one", "two", "three")] == [302, 302, 410]
    assert Membership.objects.filter(campaign=campaign).count() == 2
    assert not User.objects.filter(username="three").exists()
    page = as_researcher.get("/campaigns/bridges/invitations/").content.decode()
    assert "2 of 2" in page
    assert "<li>one," in page
    assertContains(Client().get(link), "As many people as it lets in", status_code=410)


def test_a_removed_rater_who_joins_again_takes_no_second_use_and_a_link_is_withdrawn(
    as_researcher: Client, campaign: Campaign, researcher: User
) -> None:
    invitation, path = shared(campaign, researcher)
    anna = make_user("anna")
    browser = Client()
    browser.force_login(anna)
    browser.post(path)
    for _ in range(2):
        membership = Membership.objects.get(user=anna)
        as_researcher.post(f"/campaigns/bridges/members/{membership.pk}/remove/")
        assert browser.post(path).status_code == 302
    assert Membership.objects.filter(user=anna, campaign=campaign).exists()
    assert invitation.uses.count() == 1
    as_researcher.post(f"/campaigns/bridges/invitations/{invitation.pk}/revoke/")
    assert sign_up(path, "two") == 410
    assert Membership.objects.filter(user=anna).exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_at_the_last_place_one_gets_it() -> None:
    campaign = make_campaign()
    invitation, _ = shared(campaign, make_user(role="researcher"), max_uses=1)
    people = [make_user() for _ in range(5)]
    gone: list[User] = []

    def join(person: User) -> None:
        try:
            with transaction.atomic():
                invitations.join(CampaignInvitation.objects.get(pk=invitation.pk), user=person)
        except invitation_links.LinkIsGone:
            gone.append(person)

    all_at_once(*(partial(join, person) for person in people))
    assert len(gone) == 4
    assert Membership.objects.filter(campaign=campaign).count() == 1


def test_a_link_of_another_campaign_is_not_touched_here(
    as_researcher: Client, campaign: Campaign, researcher: User
) -> None:
    other = make_campaign(name="Other")
    invitation, _ = shared(other, researcher)
    base = "/campaigns/bridges/invitations"
    for action in ("revoke", "renew"):
        assert as_researcher.post(f"{base}/{invitation.pk}/{action}/").status_code == 404
