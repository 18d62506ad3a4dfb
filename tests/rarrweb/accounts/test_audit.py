"""The audit log: what is written, who reads it, and that nobody changes it."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.campaigns.lifecycle import close_campaign
from rarrweb.accounts import append_only, audit
from rarrweb.accounts.models import AuditEvent, User
from tests.rarrweb.test_security import PATTERNS
from tests.support.api import api_client
from tests.support.campaigns import make_campaign
from tests.support.factories import make_corpus, make_run, make_user
from tests.support.permissions import World

pytestmark = pytest.mark.django_db
PAGE = "/people/log/"
ROUTES = {name: route for name, route, _ in PATTERNS}
PASSWORD = "a long test password"


@pytest.fixture
def as_administrator(client: Client, administrator: User) -> Client:
    client.force_login(administrator)
    return client


@pytest.fixture
def refusing(db: None) -> None:
    """The table as the migration leaves it."""
    append_only.refuse_changes(connection)


def actions() -> list[tuple[str, str, str]]:
    """Action, actor's name and subject of every row, in order."""
    rows = AuditEvent.objects.order_by("pk").select_related("actor")
    return [(row.action, row.actor.username if row.actor else "", row.subject) for row in rows]


def old_event() -> AuditEvent:
    days = append_only.KEPT_DAYS + 1
    return AuditEvent.objects.create(action="claimed", at=timezone.now() - timedelta(days=days))


@pytest.mark.usefixtures("refusing")
def test_the_database_refuses_to_change_or_delete_a_row() -> None:
    audit.record("claimed")
    rows = AuditEvent.objects.all()
    for change in (
        lambda: rows.update(action="shared"),
        rows.delete,
        lambda: rows.get().delete(),
        lambda: AuditEvent(pk=rows.get().pk, action="shared").save(),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    if connection.vendor == "postgresql":
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            connection.cursor().execute(f"TRUNCATE {append_only.TABLE}")
    assert rows.get().action == "claimed"


@pytest.mark.usefixtures("refusing")
def test_a_row_is_deleted_when_its_time_is_over() -> None:
    old, young = old_event(), AuditEvent.objects.create(action="claimed")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        AuditEvent.objects.filter(pk=old.pk).update(action="shared")
    audit.forget_old()
    assert AuditEvent.objects.get() == young


def test_signing_in_and_out_and_failing_to(client: Client, annotator: User) -> None:
    for name in ("anna", "somebody's password"):
        client.post("/log-in/", {"username": name, "password": "wrong"})
    client.post("/log-in/", {"username": "anna", "password": PASSWORD})
    client.post("/log-out/")
    about = f"user {annotator.pk}"
    assert actions() == [
        ("sign-in-failed", "", about),
        ("sign-in-failed", "", ""),
        ("signed-in", "anna", ""),
        ("signed-out", "anna", ""),
    ]
    origins = set(AuditEvent.objects.values_list("origin", flat=True))
    assert len(origins) == 1
    assert len(origins.pop()) == audit.ORIGIN_SIGNS


def test_who_changed_whose_role_from_which_to_which(as_administrator: Client) -> None:
    person = make_user("pia")
    as_administrator.post(f"/people/{person.pk}/role/", {"role": "researcher"})
    as_administrator.post(f"/people/{person.pk}/deactivate/")
    as_administrator.post(f"/people/{person.pk}/reactivate/")
    as_administrator.post(f"/people/{person.pk}/password/")
    assert actions()[1:] == [
        (action, "ada", f"user {person.pk}")
        for action in ("role-changed", "deactivated", "reactivated", "password-link-made")
    ]
    assert AuditEvent.objects.get(action="role-changed").detail == {"was": "", "now": "researcher"}


def test_a_tokens_work_names_the_token(researcher: User) -> None:
    world = World()
    api_client(researcher).get("/api/campaigns/theirs/exports/csv/").getvalue()
    row = AuditEvent.objects.first()
    assert row is not None
    assert (row.action, row.actor) == ("exported", researcher)
    assert row.subject == f"campaign {world.campaign.pk}"
    assert row.detail == {"what": "csv", "token": researcher.api_tokens.get().pk}


WRITTEN = {
    "accounts:revoke-token": "token-revoked",
    "annotation:export": "exported",
    "annotation:download-export": "exported",
    "annotation:participants": "exported",
    "annotation:judge-myself": "member-added",
    "annotation:remove-member": "member-removed",
    "annotation:new-entry-address": "entry-changed",
    "annotation:revoke-invitation": "link-withdrawn",
    "annotation:revoke-shared-link": "link-withdrawn",
    "annotation:renew-invitation": "link-renewed",
    "annotation:invite-rater": "link-made",
    "pipeline:download-run": "exported",
    "pipeline:download-dataset": "exported",
    "pipeline:share-revision": "shared",
    "pipeline:unshare-revision": "unshared",
    "pipeline:unshare-trial": "unshared",
    "annotation-api:judgments": "exported",
    "annotation-api:package-file": "exported",
    "pipeline-api:run-file": "exported",
    "annotation:joined-results": "exported",
    "pipeline:revision-json": "exported",
    "pipeline-api:passages": "exported",
    "pipeline-api:documents": "exported",
    "pipeline-api:revisions": "exported",
    "pipeline-api:revision": "exported",
    "annotation-api:items": "exported",
    "annotation-api:results": "exported",
    "pipeline-api:dataset-file": "exported",
}
"""Address → what its use is in the log."""
WITH_FORMAT = {"annotation:export", "annotation:joined-results"}


def test_what_a_researcher_does_is_in_the_log() -> None:
    world = World()
    owner = world.browser_of("owner")
    before = AuditEvent.objects.count()
    found = {}
    for name in WRITTEN:
        address = world.address_of(name, ROUTES[name])
        query = "?format=csv" if name in WITH_FORMAT else ""
        with transaction.atomic():
            answer = owner.get(address + query)
            if answer.status_code == 405:
                answer = owner.post(address, {"days": 7, "role": "annotator"})
            if answer.streaming:
                answer.getvalue()
            rows = list(AuditEvent.objects.order_by("pk")[before:])
            transaction.set_rollback(True)
        assert [row.actor for row in rows] == [world.owner] * len(rows)
        found[name] = "+".join(row.action for row in rows)
    assert found == WRITTEN


@pytest.mark.parametrize("query", ["", "?limit=1", "?limit=1&after={}"])
def test_each_page_of_an_api_list_is_in_the_log(query: str) -> None:
    world = World()
    program = api_client(world.owner)
    path = "/api/campaigns/theirs/items/"
    after = program.get(f"{path}?limit=1").json()["next"].split("after=")[1].split("&")[0]
    before = AuditEvent.objects.filter(action="exported").count()
    assert program.get(path + query.format(after)).status_code == 200
    rows = AuditEvent.objects.filter(action="exported")
    assert rows.count() == before + 1
    newest = rows.first()
    assert newest is not None
    assert (newest.subject, newest.detail["what"]) == (f"campaign {world.campaign.pk}", "items")


def test_what_is_deleted_is_in_the_log(client: Client, researcher: User) -> None:
    run = make_run(corpus=make_corpus(), state="finished")
    campaign = make_campaign()
    close_campaign(campaign)
    client.force_login(researcher)
    client.post(f"/campaigns/{campaign.slug}/delete/", {"name": campaign.name})
    program = api_client(researcher)
    rows = {
        f"/api/runs/{run.pk}/": run,
        f"/api/datasets/{run.dataset.slug}/": run.dataset,
        f"/api/corpora/{run.corpus.slug}/": run.corpus,
    }
    for path in rows:
        answer = program.delete(path)
        assert answer.status_code == 204, answer.content
    assert [row for row in actions() if row[0] == "deleted"] == [
        ("deleted", "ruth", f"{row._meta.model_name} {row.pk}")
        for row in (campaign, *rows.values())
    ]


def test_nothing_that_somebody_typed_or_must_not_know_is_in_it(client: Client) -> None:
    world = World()
    world.browser_of("participant")
    text = " ".join(str(row) for row in AuditEvent.objects.values())
    assert {"claimed", "link-made", "guidelines-changed", "consent-changed", "member-added"} <= set(
        AuditEvent.objects.values_list("action", flat=True)
    )
    for secret in ("I mean", "Judge.", "rater elsewhere", world.crowd.key, "rarrweb_", PASSWORD):
        assert secret not in text


def test_the_page_filters_by_action_person_and_day(as_administrator: Client) -> None:
    pia = make_user("pia")
    audit.record("claimed", pia, by=pia)
    audit.record("exported", pia, by=pia, what="csv")
    page = as_administrator.get(PAGE, {"person": "PIA", "action": "exported"}).content.decode()
    assert "took data out" in page
    assert page.count("<tr>") == 2  # with the head
    assert "No rows match" in as_administrator.get(PAGE, {"person": "nobody"}).content.decode()
    assert "No rows match" in as_administrator.get(PAGE, {"since": "2999-01-01"}).content.decode()
    assert "Enter a valid date" in as_administrator.get(PAGE, {"until": "x"}).content.decode()


def test_the_page_asks_little_and_leads_to_older_rows(
    as_administrator: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(150):
        audit.record("claimed", make_user() if number % 50 == 0 else None)
    with django_assert_max_num_queries(6):
        page = as_administrator.get(PAGE, {"action": "claimed"}).content.decode()
    older = page.split('rel="next" href="')[1].split('"')[0].replace("&amp;", "&")
    assert as_administrator.get(PAGE + older).content.decode().count("<tr>") == 51


def test_the_file_has_every_row_once_and_quotes_formulas(
    as_administrator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rarrweb.accounts.views.audit_log.CHUNK", 2)
    mallory = make_user("+cmd")
    for _ in range(5):
        audit.record("claimed", by=mallory)
    answer = as_administrator.get(PAGE, {"format": "csv", "action": "claimed"})
    assert "attachment" in answer["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [row["actor"] for row in rows] == ["'+cmd"] * 5
    assert len({row["id"] for row in rows}) == 5
    assert AuditEvent.objects.filter(action="exported").exists()


def test_an_unknown_action_is_refused() -> None:
    with pytest.raises(ValueError, match="'claim' is none of"):
        audit.record("claim")


def test_the_address_has_a_name() -> None:
    assert reverse("accounts:audit-log") == PAGE
