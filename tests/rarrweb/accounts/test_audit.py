"""The audit log: which lines are written, and what they must not contain."""

import json

import pytest
from django.db import transaction
from django.test import Client

from annotation.campaigns.lifecycle import close_campaign
from rarrweb.accounts import audit
from rarrweb.accounts.models import User
from rarrweb.log_lines import JsonLines
from tests.support.addresses import PATTERNS
from tests.support.api import api_client
from tests.support.audit import audit_lines
from tests.support.campaigns import make_campaign
from tests.support.factories import make_corpus, make_run, make_user
from tests.support.permissions import World

pytestmark = pytest.mark.django_db
ROUTES = {name: route for name, route, _ in PATTERNS}
PASSWORD = "a long test password"


def test_log_in_log_out_and_failed_log_in(
    client: Client, annotator: User, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("anna", "somebody's password"):
        client.post("/log-in/", {"login": name, "password": "wrong"})
    client.post("/log-in/", {"login": "anna", "password": PASSWORD})
    client.post("/log-out/")
    assert audit_lines(caplog) == [
        f"action=log-in-failed subject=user:{annotator.pk}",
        "action=log-in-failed",
        f"action=logged-in actor={annotator.pk}",
        f"action=logged-out actor={annotator.pk}",
    ]
    lines = [line for line in caplog.records if line.name == "audit"]
    (origin,) = {line.__dict__["origin"] for line in lines}
    assert len(origin) == audit.ORIGIN_LENGTH
    values = json.loads(JsonLines().format(lines[0]))
    assert (values["action"], values["subject"]) == ("log-in-failed", f"user:{annotator.pk}")


def test_who_changed_whose_role_from_which_to_which(
    as_administrator: Client, administrator: User, caplog: pytest.LogCaptureFixture
) -> None:
    person = make_user("pia")
    as_administrator.post(f"/people/{person.pk}/role/", {"role": "researcher"})
    as_administrator.post(f"/people/{person.pk}/deactivate/")
    as_administrator.post(f"/people/{person.pk}/reactivate/")
    as_administrator.post(f"/people/{person.pk}/password/")
    by_and_whom = f"actor={administrator.pk} subject=user:{person.pk}"
    assert audit_lines(caplog) == [
        f"action=role-changed {by_and_whom} was= now=researcher",
        f"action=deactivated {by_and_whom}",
        f"action=reactivated {by_and_whom}",
        f"action=password-link-made {by_and_whom}",
    ]


def test_an_event_of_a_token_names_the_token(
    researcher: User, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    caplog.clear()
    api_client(researcher).get("/api/campaigns/theirs/exports/csv/").getvalue()
    assert audit_lines(caplog) == [
        f"action=exported actor={researcher.pk} subject=campaign:{world.campaign.pk} "
        f"token={researcher.api_tokens.get().pk} what=csv"
    ]


def test_commands_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    audit.record("deleted", make_user())
    assert audit_lines(caplog) == []


WRITTEN = {
    "accounts:revoke-token": "token-revoked",
    "annotation:export": "exported",
    "annotation:package": "exported",
    "annotation:participants": "exported",
    "annotation:judge-myself": "member-added",
    "annotation:remove-member": "member-removed",
    "annotation:new-entry-address": "entry-changed",
    "annotation:revoke-invitation": "link-withdrawn",
    "annotation:renew-invitation": "link-renewed",
    "annotation:invite-rater": "link-made",
    "pipeline:download-run": "exported",
    "pipeline:download-dataset": "exported",
    "pipeline:share-revision": "shared",
    "pipeline:unshare-revision": "unshared",
    "annotation-api:judgments": "exported",
    "annotation-api:package": "exported",
    "pipeline-api:run-file": "exported",
    "joined-results": "exported",
    "pipeline:revision-json": "exported",
    "pipeline-api:passages": "exported",
    "pipeline-api:documents": "exported",
    "pipeline-api:revisions": "exported",
    "pipeline-api:revision": "exported",
    "annotation-api:items": "exported",
    "annotation-api:results": "exported",
    "pipeline-api:dataset-file": "exported",
}
"""Address → the action that its use logs."""
QUERIES = {
    "annotation:export": "?format=csv",
    "joined-results": "?format=csv",
    "annotation:package": "?formats=csv&labels=settled",
}


def test_actions_of_a_researcher(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    owner = world.browser_of("owner")
    actions = {}
    for name in WRITTEN:
        address = world.address_of(name, ROUTES[name])
        query = QUERIES.get(name, "")
        caplog.clear()
        with transaction.atomic():
            answer = owner.get(address + query)
            if answer.status_code == 405:
                answer = owner.post(address, {"days": 7, "max_uses": 1, "role": "annotator"})
            if answer.streaming:
                answer.getvalue()
            transaction.set_rollback(True)
        lines = audit_lines(caplog)
        assert all(f" actor={world.owner.pk}" in line for line in lines)
        actions[name] = "+".join(line.split()[0].removeprefix("action=") for line in lines)
    assert actions == WRITTEN


@pytest.mark.parametrize("query", ["", "?limit=1", "?limit=1&cursor={}"])
def test_each_page_of_an_api_list_is_logged(query: str, caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    program = api_client(world.owner)
    path = "/api/campaigns/theirs/items/"
    cursor = program.get(f"{path}?limit=1").json()["next"].split("cursor=")[1].split("&")[0]
    caplog.clear()
    assert program.get(path + query.format(cursor)).status_code == 200
    (line,) = audit_lines(caplog)
    assert line.startswith("action=exported ")
    assert f"subject=campaign:{world.campaign.pk} " in line
    assert line.endswith(" what=items")


def test_deletions_are_logged(
    client: Client, researcher: User, caplog: pytest.LogCaptureFixture
) -> None:
    run = make_run(corpus=make_corpus(), state="finished")
    campaign = make_campaign()
    close_campaign(campaign)
    client.force_login(researcher)
    client.post(f"/campaigns/{campaign.slug}/delete/", {"name": campaign.name})
    program = api_client(researcher)
    objects = {
        f"/api/runs/{run.pk}/": run,
        f"/api/datasets/{run.dataset.slug}/": run.dataset,
        f"/api/corpora/{run.corpus.slug}/": run.corpus,
    }
    for path in objects:
        answer = program.delete(path)
        assert answer.status_code == 204, answer.content
    lines = [line.partition(" token=")[0] for line in audit_lines(caplog)]
    assert lines == [
        f"action=deleted actor={researcher.pk} subject={each._meta.model_name}:{each.pk}"
        for each in (campaign, *objects.values())
    ]


def test_no_name_secret_or_answer_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    world.browser_of("participant")
    world.browser_of("colleague").post("/tasks/next/")
    text = "\n".join(audit_lines(caplog))
    for action in ("member-added", "logged-in", "claimed"):
        assert f"action={action} " in text
    for secret in ("I mean", "Judge.", "rater", world.crowd.key, PASSWORD):
        assert secret not in text
