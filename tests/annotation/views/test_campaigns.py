"""The campaigns' pages: for those who lead them, for raters, for strangers."""

import re
from html import unescape
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import strip_tags
from pytest_django.asserts import assertContains

from annotation.models import Campaign
from pipeline.generation.answer_format import VIOLATIONS
from rarrweb.accounts.models import User
from tests.support.campaigns import judge_everything, make_judgeable_run
from tests.support.factories import make_revision, make_run, make_user
from tests.support.pages import html_of
from tests.support.reference_answers import claim
from tests.support.written_answers import make_answer_run, make_questions

pytestmark = pytest.mark.django_db


def test_a_researcher_starts_a_campaign(as_researcher: Client, researcher: User) -> None:
    run = make_judgeable_run(passages=3)
    data = {"name": "Bees", "run": run.pk, "sides": "both", "raters_per_item": 2}
    response = as_researcher.post("/campaigns/new/", data)
    campaign = Campaign.objects.get()
    assert response.headers["Location"] == "/campaigns/bees/members/"  # nobody judges yet
    assert (campaign.item_count, campaign.raters_per_item) == (6, 2)
    assert campaign.created_by == researcher


def test_several_questionnaires_start_in_one_go_with_their_raters(
    as_researcher: Client, annotator: User
) -> None:
    run = make_judgeable_run(passages=3)
    kinds = ["attribution", "intent", "answer_quality", "manual_revision"]
    data = {"run": run.pk, "questionnaire": kinds, "raters_per_item": 1}
    data |= {"sides": "after"}
    # All or none: nothing in these texts cites a source.
    refused = as_researcher.post("/campaigns/new/", {**data, "questionnaire": [*kinds, "citation"]})
    assertContains(refused, 'href="#id_questionnaire"')
    assertContains(refused, "Citations: Nothing in the chosen texts cites a source")
    assert not Campaign.objects.exists()

    response = as_researcher.post("/campaigns/new/", data | {"person": annotator.pk})
    assert response.headers["Location"] == "/campaigns/"
    made = {each.questionnaire: each for each in Campaign.objects.order_by("pk")}
    assert list(made) == kinds
    assert [each.sides for each in made.values()] == ["after", "pair", "after", "after"]
    assert made["intent"].name == f"{run.dataset.name}: intent similarity"
    assert all(each.memberships.get().user == annotator for each in made.values())

    response = as_researcher.post("/campaigns/new/", data | {"name": "Bees"})
    assert response.headers["Location"].startswith("/campaigns/bees-attribution/members/?also=bees")


def test_the_campaign_of_runs_that_answer_begins_with_hagrids_filter(as_researcher: Client) -> None:
    questions, group = make_questions(2), uuid4()
    runs = [
        make_answer_run(["In 1904 [1].", "In 1904."], dataset=questions, system=name, group=group)
        for name in ("extractive", "vanilla")
    ]
    link = re.search(
        r'href="(/campaigns/new/[^"]*)"', html_of(as_researcher, f"/runs/{runs[0].pk}/")
    )
    assert link
    form = as_researcher.get(unescape(link[1])).context["form"]
    assert form["run"].value() == [run.pk for run in runs]
    assert form["questionnaire"].value() == ["answer_quality"]
    assert form["may_repeat_passages"].value()
    assert form["excluded_problems"].value() == list(VIOLATIONS)
    assert form.is_unfolded()


@pytest.mark.parametrize("run", ["", "0", "x", "99999999999999999999"])
def test_a_link_to_no_run_still_shows_the_form(as_researcher: Client, run: str) -> None:
    make_judgeable_run()
    assert "Start campaign" in html_of(as_researcher, f"/campaigns/new/?run={run}")


def test_a_run_without_any_text_is_refused_with_the_reason(as_researcher: Client) -> None:
    run = make_run()
    make_revision(run, state="queued")
    assert "First, passages" in html_of(as_researcher, "/campaigns/new/")
    make_revision(run, state="done", text=" ")
    data = {"name": "x", "run": run.pk, "sides": "after", "raters_per_item": 1}
    response = as_researcher.post("/campaigns/new/", data)
    assert "no finished revision with a sentence to judge" in response.content.decode()
    assert not Campaign.objects.exists()


def test_the_plan_reports_how_many_items_and_what_is_excluded(as_researcher: Client) -> None:
    run = make_judgeable_run(passages=2)
    make_revision(run, state="failed")
    url = f"/campaigns/new/preview/?run={run.pk}&sides=both&raters_per_item=3"
    page = " ".join(strip_tags(html_of(as_researcher, url)).split())
    assert "Attribution 4 items Work" in page
    assert "about 1 min for each of six raters" in page  # 12 texts of 100 characters, 2 sides
    assert "1 revision is not finished and will be left out." in page
    again = html_of(as_researcher, f"{url}&may_repeat_passages=on")
    all_by_three = " ".join(strip_tags(again).split())
    assert "about 2 min for each of three raters" in all_by_three


@pytest.mark.parametrize(
    "query",
    [
        "",
        "run=x&sides=both",
        "run=1&sides=up",
        "run=99999&sides=both&raters_per_item=x",
        f"run={'9' * 5_000}&sides=both",
    ],
)
def test_the_plan_of_nonsense_is_only_a_hint(as_researcher: Client, query: str) -> None:
    assert "Choose runs to see the work." in html_of(
        as_researcher, f"/campaigns/new/preview/?{query}"
    )


def test_a_rater_sees_their_own_progress_and_no_result(
    client: Client, annotator: User, campaign: Campaign
) -> None:
    other = make_user("other-rater")
    judge_everything(claim(annotator, campaign=campaign))
    client.force_login(other)
    assert campaign.name not in html_of(client, "/campaigns/")
    client.force_login(annotator)
    page = html_of(client, f"/campaigns/{campaign.slug}/")
    assert "1 submitted, up to 1 left" in " ".join(page.split())
    assert "Continue" in page
    assert other.username not in page
    assert "What raters say" not in page
    assert "interval" not in page


def test_a_researcher_sees_progress_results_items_and_raters(
    as_researcher: Client, annotator: User, campaign: Campaign
) -> None:
    judge_everything(claim(annotator, campaign=campaign))
    page = html_of(as_researcher, f"/campaigns/{campaign.slug}/")
    assert "1 of 2 submitted" in page
    assert '<td class="n" data-label="Mean">1.00</td>' in page  # Attr_AIS
    assert "anna" in page
    assert "3 of 3" in html_of(as_researcher, f"/campaigns/{campaign.slug}/results/")  # sentences
    assert "1 of 2" in html_of(as_researcher, "/campaigns/")
    assert "anna" in html_of(as_researcher, f"/campaigns/{campaign.slug}/raters/")
    items = html_of(as_researcher, f"/campaigns/{campaign.slug}/items/")
    assert "The bridge opened in 1932." in items
