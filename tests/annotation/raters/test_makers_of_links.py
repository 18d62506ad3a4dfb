"""A link into a campaign lets nobody in whose maker has lost the role or the account."""

from collections.abc import Callable

import pytest
from django.test import Client

from annotation.models import Campaign, CampaignInvitation, Membership
from annotation.raters.invitations import invite, join
from rarrweb.accounts import invitation_links, people
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def shared(campaign: Campaign, maker: User, role: str) -> tuple[CampaignInvitation, str]:
    return invite(campaign, created_by=maker, max_uses=3, role=role)


def demote(maker: User, administrator: User) -> None:
    people.change_role(maker, role="", changed_by=administrator)


def shut(maker: User, administrator: User) -> None:
    people.deactivate(maker, changed_by=administrator)


def shut_and_open(maker: User, administrator: User) -> None:
    people.deactivate(maker, changed_by=administrator)
    people.reactivate(maker)


def demote_and_promote(maker: User, administrator: User) -> None:
    people.change_role(maker, role="", changed_by=administrator)
    people.change_role(maker, role="researcher", changed_by=administrator)


def lose_the_role_before_links_were_withdrawn(maker: User, administrator: User) -> None:
    User.objects.filter(pk=maker.pk).update(role="")


@pytest.mark.parametrize("role", Membership.Role.values)
@pytest.mark.parametrize(
    "lose",
    [demote, shut, shut_and_open, demote_and_promote, lose_the_role_before_links_were_withdrawn],
)
def test_it_ends_with_what_its_maker_was(
    researcher: User, administrator: User, lose: Callable[[User, User], None], role: str
) -> None:
    link, token = shared(make_campaign(), researcher, role)
    lose(researcher, administrator)
    guest, stranger = make_user("guest"), Client()
    client = Client()
    client.force_login(guest)
    path = f"/campaigns/join/{token}/"
    form = {"username": "noor", "password1": "tide harbour lantern"}
    form["password2"] = form["password1"]
    assert [client.get(path).status_code, client.post(path).status_code] == [410, 410]
    assert [stranger.get(path).status_code, stranger.post(path, form).status_code] == [410, 410]
    with pytest.raises(invitation_links.LinkIsGone):  # also where the page was opened before
        join(link, user=guest)
    assert not Membership.objects.exists()
    assert not User.objects.filter(username="noor").exists()


def test_who_becomes_an_administrator_or_stays_researcher_keeps_their_links(
    researcher: User, administrator: User
) -> None:
    _, token = shared(make_campaign(), researcher, Membership.Role.ADJUDICATOR)
    people.change_role(researcher, role="administrator", changed_by=administrator)
    people.change_role(researcher, role="researcher", changed_by=administrator)
    client = Client()
    client.force_login(make_user("guest"))
    assert client.post(f"/campaigns/join/{token}/").status_code == 302
    assert Membership.objects.get().role == Membership.Role.ADJUDICATOR
