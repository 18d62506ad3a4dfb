"""A link into a campaign lets nobody in whose maker has lost the role or the account."""

from collections.abc import Callable
from functools import partial

import pytest
from django.test import Client

from annotation.models import Membership
from annotation.raters.invitations import invite, join
from rarrweb.accounts import invitation_links, people
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def set_role(maker: User, administrator: User, role: str = "") -> None:
    people.change_role(maker, role=role, changed_by=administrator)


def deactivate(maker: User, administrator: User) -> None:
    people.deactivate(maker, changed_by=administrator)


def reactivate(maker: User, _: User) -> None:
    people.reactivate(maker)


def lose_the_role_before_links_were_withdrawn(maker: User, _: User) -> None:
    User.objects.filter(pk=maker.pk).update(role="")


@pytest.mark.parametrize("role", Membership.Role.values)
@pytest.mark.parametrize(
    "steps",
    [
        [set_role],
        [deactivate],
        [deactivate, reactivate],
        [set_role, partial(set_role, role="researcher")],
        [lose_the_role_before_links_were_withdrawn],
    ],
)
def test_it_ends_with_what_its_maker_was(
    researcher: User, administrator: User, steps: list[Callable[[User, User], None]], role: str
) -> None:
    link, token = invite(make_campaign(), created_by=researcher, max_uses=3, role=role)
    for step in steps:
        step(researcher, administrator)
    guest, stranger = make_user("guest"), Client()
    client = Client()
    client.force_login(guest)
    path = f"/campaigns/join/{token}/"
    form = {"username": "noor", **dict.fromkeys(("password1", "password2"), "tide harbour lantern")}
    assert [client.get(path).status_code, client.post(path).status_code] == [410, 410]
    assert [stranger.get(path).status_code, stranger.post(path, form).status_code] == [410, 410]
    with pytest.raises(invitation_links.LinkIsGone):  # also where the page was opened before
        join(link, user=guest)
    assert not Membership.objects.exists()
    assert not User.objects.filter(username="noor").exists()


def test_who_becomes_an_administrator_or_stays_researcher_keeps_their_links(
    researcher: User, administrator: User
) -> None:
    _, token = invite(make_campaign(), created_by=researcher, max_uses=3, role="adjudicator")
    for role in ("administrator", "researcher"):
        set_role(researcher, administrator, role)
    client = Client()
    client.force_login(make_user("guest"))
    assert client.post(f"/campaigns/join/{token}/").status_code == 302
    assert Membership.objects.get().role == Membership.Role.ADJUDICATOR
