"""Inviting many: a list that is taken whole or not at all, and one link for a group."""

import base64
import csv
import io
import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains

from annotation.models import Campaign, CampaignInvitation, Membership, SharedInvitation
from annotation.raters import bulk_invitations, invitations
from annotation.raters.invitation_csv import read_list
from rarrweb.accounts import invitation_links
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

LIST = "email,name,role\nanna@example.org,Anna,rater\nben@example.org,,adjudicator\n,Rater 7,\n"
PASSWORD = "a long test password"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


def send(client: Client, text: str = LIST, **more: str) -> str:
    file = SimpleUploadedFile("people.csv", text.encode())
    data = {"file": file, "text": "", "list_days": "7", **more}
    response = client.post("/campaigns/bridges/invitations/list/", data)
    assert response.status_code == 200
    return response.content.decode()


def links_in(page: str) -> list[dict[str, str]]:
    """The file that the page gives out."""
    found = re.search(r"data:text/csv;charset=utf-8;base64,([\w+/=]+)", page)
    assert found is not None
    text = base64.b64decode(found[1]).decode().removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


# --- Inviting ---------------------------------------------------------------------------------


def test_everybody_gets_a_link_of_their_own_that_works(
    as_researcher: Client, campaign: Campaign
) -> None:
    page = send(as_researcher)
    assert "3 links are ready" in page
    rows = links_in(page)
    assert [row["role"] for row in rows] == ["rater", "adjudicator", "rater"]
    assert len({row["link"] for row in rows}) == 3
    path = re.sub(r"^https?://[^/]+", "", rows[1]["link"])
    form = {"username": "ben", "password1": PASSWORD, "password2": PASSWORD}
    assert Client().post(path, form).status_code == 302
    membership = Membership.objects.get(user__username="ben")
    assert (membership.role, membership.campaign) == ("adjudicator", campaign)
    page = as_researcher.get("/campaigns/bridges/invitations/?state=joined").content.decode()
    assert "ben@example.org" in page
    assert "expires" not in page.partition("Links for one person")[2]


def test_links_are_shown_this_once_and_nowhere_kept(
    as_researcher: Client, campaign: Campaign
) -> None:
    token = links_in(send(as_researcher))[0]["link"].rstrip("/").rpartition("/")[2]
    assert token not in as_researcher.get("/campaigns/bridges/invitations/").content.decode()
    held = "".join(str(row) for row in CampaignInvitation.objects.values())
    assert token not in held


def test_the_same_list_twice_makes_nothing_twice(as_researcher: Client, campaign: Campaign) -> None:
    first = links_in(send(as_researcher))
    page = send(as_researcher)
    assert "No new link was needed" in page
    assert CampaignInvitation.objects.count() == 3
    path = re.sub(r"^https?://[^/]+", "", first[0]["link"])
    assertContains(Client().get(path), "Create an account")  # the first link still works


def test_new_links_on_demand_and_the_old_ones_die(
    as_researcher: Client, campaign: Campaign
) -> None:
    old = re.sub(r"^https?://[^/]+", "", links_in(send(as_researcher))[0]["link"])
    rows = links_in(send(as_researcher, renew="on"))
    assert CampaignInvitation.objects.count() == 3
    assert Client().get(old).status_code == 404
    assert Client().get(re.sub(r"^https?://[^/]+", "", rows[0]["link"])).status_code == 200


def test_who_has_joined_gets_no_second_link(as_researcher: Client, campaign: Campaign) -> None:
    send(as_researcher)
    CampaignInvitation.objects.filter(note="Anna").update(accepted_at=timezone.now())
    page = send(as_researcher, renew="on")
    rows = {row["name"]: row["link"] for row in links_in(page)}
    assert rows["Anna"] == ""
    assert rows["Rater 7"] != ""
    assert "has joined already" in page


def test_an_expired_link_is_made_anew_by_the_same_list(
    as_researcher: Client, campaign: Campaign
) -> None:
    send(as_researcher)
    CampaignInvitation.objects.update(expires_at=timezone.now())
    assert "3 links are ready" in send(as_researcher)
    assert CampaignInvitation.objects.usable().count() == 3


def test_one_wrong_line_and_nobody_is_invited(as_researcher: Client, campaign: Campaign) -> None:
    page = send(as_researcher, LIST + "nobody,,boss\n")
    assert "Nobody was invited" in page
    assert "“nobody” is no e-mail address" in page
    assert "“boss” is no role here" in page
    assert not CampaignInvitation.objects.exists()


def test_a_fault_in_the_middle_leaves_nothing_behind(
    campaign: Campaign, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_link = invitation_links.make_link

    def breaks(*args: Any, **values: Any) -> object:
        if CampaignInvitation.objects.count() == 2:
            raise OSError("the disk is full")
        return make_link(*args, **values)

    monkeypatch.setattr(invitation_links, "make_link", breaks)
    with pytest.raises(OSError, match="disk"):
        bulk_invitations.invite_all(
            campaign, read_list(LIST.encode()), created_by=researcher, days=7
        )
    assert not CampaignInvitation.objects.exists()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"list_days": "7"}, "Choose a file, or paste the list"),
        ({"list_days": "0", "text": LIST}, "greater than or equal to 1"),
    ],
)
def test_a_form_without_what_it_needs_says_so(
    as_researcher: Client, campaign: Campaign, data: dict[str, str], says: str
) -> None:
    response = as_researcher.post("/campaigns/bridges/invitations/list/", data)
    assertContains(response, says)
    assert not CampaignInvitation.objects.exists()


def test_a_pasted_list_does_as_well(as_researcher: Client, campaign: Campaign) -> None:
    data = {"text": LIST, "list_days": "7"}
    response = as_researcher.post("/campaigns/bridges/invitations/list/", data)
    assertContains(response, "3 links are ready")


def test_cells_of_the_file_are_no_formulas(as_researcher: Client, campaign: Campaign) -> None:
    rows = links_in(send(as_researcher, "name\n=1+1\n"))
    assert rows[0]["name"] == "'=1+1"


def test_names_are_shown_as_text(as_researcher: Client, campaign: Campaign) -> None:
    page = send(as_researcher, "name\n<img src=x>\n")
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page


# --- One by one -----------------------------------------------------------------------------


def test_a_link_is_made_anew_for_one(as_researcher: Client, campaign: Campaign) -> None:
    old = re.sub(r"^https?://[^/]+", "", links_in(send(as_researcher))[0]["link"])
    invitation = CampaignInvitation.objects.get(note="Anna")
    page = as_researcher.post(
        f"/campaigns/bridges/invitations/{invitation.pk}/renew/"
    ).content.decode()
    new = re.search(r"/campaigns/join/[\w-]+/", page)
    assert new is not None
    assert Client().get(old).status_code == 404
    assert Client().get(new[0]).status_code == 200


def test_a_used_link_is_not_made_anew(as_researcher: Client, campaign: Campaign) -> None:
    send(as_researcher)
    invitation = CampaignInvitation.objects.get(note="Anna")
    CampaignInvitation.objects.update(accepted_at=timezone.now())
    response = as_researcher.post(
        f"/campaigns/bridges/invitations/{invitation.pk}/renew/", follow=True
    )
    assertContains(response, "Somebody has joined by this link already")


# --- One link for a group ----------------------------------------------------------------------


def shared(campaign: Campaign, by: User, cap: int = 2) -> tuple[SharedInvitation, str]:
    invitation, token = invitations.share(
        campaign, created_by=by, cap=cap, days=7, role="annotator", note="Class"
    )
    return invitation, f"/campaigns/join/{token}/"


def sign_up(path: str, name: str) -> int:
    form = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    return Client().post(path, form).status_code


def test_a_group_joins_by_one_link_up_to_its_number(
    as_researcher: Client, campaign: Campaign
) -> None:
    data = {"shared_note": "Class", "cap": "2", "shared_days": "3", "role": "annotator"}
    page = as_researcher.post("/campaigns/bridges/invitations/shared/", data).content.decode()
    found = re.search(r"/campaigns/join/[\w-]+/", page)
    assert found is not None
    assert [sign_up(found[0], name) for name in ("one", "two", "three")] == [302, 302, 410]
    assert Membership.objects.filter(campaign=campaign).count() == 2
    assert not User.objects.filter(username="three").exists()
    page = as_researcher.get("/campaigns/bridges/invitations/").content.decode()
    assert "2 of 2" in page
    assert "one, " in page
    assertContains(Client().get(found[0]), "As many people as it lets in", status_code=410)


def test_who_takes_part_already_uses_no_place(campaign: Campaign, researcher: User) -> None:
    invitation, path = shared(campaign, researcher)
    anna = make_user("anna")
    browser = Client()
    browser.force_login(anna)
    browser.post(path)
    browser.post(path)
    invitation.refresh_from_db()
    assert invitation.used == 1
    assert invitation.uses.get().user == anna


def test_a_removed_rater_who_joins_again_by_the_group_link_takes_no_second_place(
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
    invitation.refresh_from_db()
    assert invitation.used == invitation.uses.count() == 1


def test_a_shared_link_is_withdrawn_and_members_stay(
    as_researcher: Client, campaign: Campaign, researcher: User
) -> None:
    invitation, path = shared(campaign, researcher)
    assert sign_up(path, "one") == 302
    as_researcher.post(f"/campaigns/bridges/invitations/shared/{invitation.pk}/revoke/")
    assert sign_up(path, "two") == 410
    assert Membership.objects.filter(user__username="one").exists()


def test_a_shared_link_expires_and_dies_with_who_made_it(
    campaign: Campaign, researcher: User
) -> None:
    invitation, path = shared(campaign, researcher)
    User.objects.filter(pk=researcher.pk).update(is_active=False)
    assert sign_up(path, "one") == 410
    User.objects.filter(pk=researcher.pk).update(is_active=True)
    SharedInvitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert sign_up(path, "one") == 410
    invitation.refresh_from_db()
    assert invitation.used == 0


@pytest.mark.django_db(transaction=True)
def test_of_many_at_the_last_place_one_gets_it() -> None:
    campaign = make_campaign()
    invitation, _ = shared(campaign, make_user(role="researcher"), cap=1)
    people = [make_user() for _ in range(5)]
    start = threading.Barrier(len(people))
    gone: list[User] = []

    def join(person: User) -> None:
        start.wait()
        try:
            with transaction.atomic():
                invitations.join(SharedInvitation.objects.get(pk=invitation.pk), user=person)
        except invitation_links.LinkIsGone:
            gone.append(person)
        finally:
            connection.close()

    threads = [threading.Thread(target=join, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gone) == 4
    assert Membership.objects.filter(campaign=campaign).count() == 1


PATHS = ["", "list/", "shared/", "shared/1/revoke/", "1/renew/"]


@pytest.mark.parametrize("path", PATHS)
def test_the_pages_are_not_there_for_others(
    client: Client, campaign: Campaign, annotator: User, path: str
) -> None:
    Membership.objects.create(campaign=campaign, user=annotator)
    client.force_login(annotator)
    address = f"/campaigns/bridges/invitations/{path}"
    answers = {client.get(address).status_code, client.post(address, {}).status_code}
    assert answers <= {404, 405}
    assert 404 in answers


def test_a_link_of_another_campaign_is_not_touched_here(
    as_researcher: Client, campaign: Campaign, researcher: User
) -> None:
    other = make_campaign(name="Other")
    invitation, _ = shared(other, researcher)
    mine, _ = invitations.invite(other, created_by=researcher)
    base = "/campaigns/bridges/invitations"
    assert as_researcher.post(f"{base}/shared/{invitation.pk}/revoke/").status_code == 404
    assert as_researcher.post(f"{base}/{mine.pk}/renew/").status_code == 404
