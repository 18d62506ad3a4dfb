"""A crowd's participants among the raters of a campaign."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign, Participant
from annotation.raters import participants
from annotation.raters.memberships import add_member
from annotation.views.campaign_tabs import PAGE
from annotation.views.results import RATERS
from tests.support.campaigns import make_campaign
from tests.support.crowds import enter, make_crowd
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next

pytestmark = pytest.mark.django_db

State = Participant.State


@pytest.fixture
def campaign() -> Campaign:
    """Anna, who has an account, and three of a crowd, each with an item submitted."""
    anna = make_user("anna")
    made: Campaign = make_campaign(raters=(anna,), passages=3, raters_per_item=9)
    make_crowd(made)
    judge_next(anna, made)
    for number, state in enumerate((State.COMPLETED, State.RETURNED, State.SCREENED_OUT)):
        enter(made.crowd, f"person-{number}")
        participant = Participant.objects.latest("pk")
        judge_next(participant.user, made)
        participants.finish(participant, state)
    return made


def row_of(page: str, table: str, name: str) -> str:
    """The row of a rater in the table with that caption."""
    inside = page.split(f'<caption class="sr">{table}')[1].split("</table>")[0]
    (row,) = [each for each in inside.split("<tr>") if f'<th scope="row">{name}' in each]
    return row


@pytest.mark.parametrize(
    ("path", "table"), [("raters/", "Raters and the number"), ("reliability/", "Each rater’s pace")]
)
def test_who_stopped_is_marked_next_to_their_name(
    as_researcher: Client, campaign: Campaign, path: str, table: str
) -> None:
    page = as_researcher.get(f"{campaign.get_absolute_url()}{path}").content.decode()
    names = list(Participant.objects.order_by("pk").values_list("user__username", flat=True))
    words = ["", "stopped", "screened out"]
    for name, why in [("anna", ""), *zip(names, words, strict=True)]:
        row = row_of(page, table, name)
        chip = f'<span class="chip">{why}</span>'
        assert (chip in row) if why else ('class="chip"' not in row), (name, row)


def test_marking_them_takes_no_query_a_rater(as_researcher: Client, campaign: Campaign) -> None:
    for path in ("", "raters/", "reliability/"):
        address = f"{campaign.get_absolute_url()}{path}"
        as_researcher.get(address)  # what is kept is kept now
        counts = []
        for number in (1, 2):
            with CaptureQueriesContext(connection) as queries:
                assert as_researcher.get(address).status_code == 200
            counts.append(len(queries))
            enter(campaign.crowd, f"another-{path}{number}")
        assert counts[0] == counts[1] <= 12


def test_many_raters_come_page_by_page(as_researcher: Client) -> None:
    campaign = make_campaign(passages=1)
    for number in range(PAGE + 2):
        add_member(campaign, user=make_user(f"rater-{number:03}"))
    address = f"{campaign.get_absolute_url()}raters/"
    first = as_researcher.get(address)
    assert len(first.context["rows"]) == PAGE
    assert first.context["head"].raters == PAGE + 2
    assert 'href="?page=2"' in first.content.decode()
    second = as_researcher.get(f"{address}?page=2").content.decode()
    assert "rater-026" in second
    assert "rater-000" not in second
    assert as_researcher.get(f"{address}?page=nonsense").status_code == 200


def test_the_raters_report_comes_page_by_page(
    as_researcher: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.views.results.RATERS", 2)
    raters = tuple(make_user(f"rater-{number}") for number in range(3))
    campaign = make_campaign(raters=raters, raters_per_item=3)
    for rater in raters:
        judge_next(rater, campaign)
    address = f"{campaign.get_absolute_url()}reliability/"
    first = as_researcher.get(address, headers={"HX-Request": "true"})
    text = first.content.decode()
    assert "rater-1<" in text.partition('id="reports-heading"')[2]
    assert "rater-2<" not in text.partition('id="reports-heading"')[2]
    assert f'hx-get="{address}?phase=all&amp;show=&amp;raters=2" hx-target="#reliability"' in text
    second = as_researcher.get(f"{address}?phase=all&raters=2").content.decode()
    assert "rater-2<" in second.partition('id="reports-heading"')[2]
    assert RATERS > 2
