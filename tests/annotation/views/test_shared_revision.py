"""A revision for readers without an account."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign
from pipeline.data.deletion import run_deletion_preview
from pipeline.models import Revision, Run, SharedRevision
from pipeline.runs.sharing import share_revision
from rarrweb.accounts.models import User
from tests.support.compared import make_compared_runs, make_kind, revise_alike, say
from tests.support.exports import adjudicate
from tests.support.factories import make_passage, make_revision
from tests.support.pages import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def revision() -> Revision:
    runs = make_compared_runs()
    return Revision.objects.get(run=runs[0], passage=revise_alike(runs))


def address(share: SharedRevision) -> str:
    return reverse("shared-revision", args=[share.token])


def change(name: str, revision: Revision) -> str:
    return reverse(f"pipeline:{name}-revision", args=[revision.pk])


def test_who_has_the_link_reads_it_without_an_account(
    as_researcher: Client, revision: Revision
) -> None:
    waiting = make_revision(revision.run, passage=make_passage(revision.run.dataset))
    assert as_researcher.post(change("share", waiting)).status_code == 404
    assert not SharedRevision.objects.exists()
    sent = as_researcher.post(change("share", revision))
    assert sent["Location"] == f"{revision.get_absolute_url()}#share"
    share = revision.share
    html = as_researcher.get(revision.get_absolute_url()).content.decode()
    assert f"http://testserver{address(share)}" in html
    response = Client().get(address(share))
    assert response.status_code == 200
    reported = text_of(response.text)
    assert "When was the Wenna Viaduct built?" in reported
    assert "◐ Partly attributed: 3 of 4 sentences" in reported
    assert "must not be read as sourced" in reported
    assert "such automatic scores may be wrong" in reported
    assert "4 ✕ not attributed" in reported
    assert "Show what the revision changed removed:" not in reported
    assert "removed: 1879" in reported
    assert "No person’s judgment is shown here." in reported


def test_it_is_kept_out_of_search_engines_and_tells_nothing_of_the_system(
    revision: Revision, researcher: User
) -> None:
    secret = {"system": "secret-system", "config": {"llm": "secret-llm"}}
    Run.objects.filter(pk=revision.run_id).update(**secret)
    share = share_revision(revision, by=researcher, shows_raters=False)
    response = Client().get(address(share))
    assert "noindex" in response["X-Robots-Tag"]
    assert response["Referrer-Policy"] == "strict-origin"
    assert "no-store" in response["Cache-Control"]
    assert Client().post(address(share)).status_code == 405
    html = response.content.decode()
    assert '<meta name="robots" content="noindex' in html
    for word in ("secret-system", "secret-llm", researcher.username, "viaducts", "Viaducts"):
        assert word not in html
    inside = set(re.findall(r'href="(/[^"]*)"', html))
    assert {each for each in inside if not each.startswith("/static/")} == {"/log-in/"}
    assert 'rel="noopener noreferrer nofollow"' in html


def test_a_link_leads_nowhere_once_it_or_the_role_of_its_maker_has_ended(
    as_researcher: Client, revision: Revision, researcher: User
) -> None:
    first = share_revision(revision, by=researcher, shows_raters=False)
    as_researcher.post(change("unshare", revision))
    assert Client().get(address(first)).status_code == 404
    second = share_revision(revision, by=researcher, shows_raters=False)
    assert second.token != first.token
    assert Client().get(address(second)).status_code == 200
    assert Client().get(reverse("shared-revision", args=["x"])).status_code == 404
    assert ("Links to revisions for readers", "1") in run_deletion_preview(revision.run).lost
    User.objects.filter(pk=researcher.pk).update(is_active=False)
    assert Client().get(address(second)).status_code == 404


def test_raters_answers_are_shown_only_where_the_researcher_ticked_it(
    as_researcher: Client, revision: Revision
) -> None:
    campaign: Campaign = make_kind([revision.run], "attribution")
    say(campaign, revision, (1, 2, 1, 0), (1, 2, 0, 0))
    as_researcher.post(change("share", revision))
    revision.refresh_from_db()
    share = revision.share
    assert "people:" not in text_of(Client().get(address(share)).text)
    as_researcher.post(change("share", revision), {"raters": "on"})
    reported = text_of(Client().get(address(share)).text)  # the same link
    assert "people : ✓ attributed (2 of 2 say fully)" in reported.replace("people:", "people :")
    assert "◐ partly attributed (0 of 2 fully, 2 partly)" in reported
    assert "○ divided (1 of 2 say fully)" in reported
    adjudicate(campaign.items.get(), 2, 0)
    reported = text_of(Client().get(address(share)).text)
    assert "✕ not attributed, settled (1 of 2 say fully)" in reported


def test_a_sentence_that_another_source_contradicts_is_partly_attributed(
    revision: Revision, researcher: User
) -> None:
    sentences = revision.sentences
    for each in sentences["after"]:
        each |= {"entailed": 0.9, "evidence": 0, "contradicted": 0.0}
    sentences["after"][1] |= {"contradicted": 0.9, "contradicted_by": 1}
    revision.result["trace"] = []  # no verdict of a gate beside it
    Revision.objects.filter(pk=revision.pk).update(sentences=sentences, result=revision.result)
    share = share_revision(revision, by=researcher, shows_raters=False)
    reported = text_of(Client().get(address(share)).text)
    assert "◐ Partly attributed: 3 of 4 sentences" in reported
    assert "2 ◐ partly attributed by source 1 contradicted by source 2" in reported
