"""Databases of earlier versions, with people's work in them, come up to date without a loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from pytest_django.plugin import DjangoDbBlocker

from annotation.models import Campaign, ExportJob, Item, RaterQuestion
from pipeline.models import Revision, Run, Trial
from rarrweb.accounts.models import User
from rarrweb.backups.digests import rows_of, stored_fields
from tests.support.old_databases import names, old_database, read_state

pytestmark = pytest.mark.django_db

NEWEST = names()[-1]
JUDGMENTS = {"2026-11-27": 27}
"""Of states that are not the demo with its first campaigns."""
EMPTY = {
    "accounts_user_groups": "what a person may do follows from the role alone",
    "accounts_user_user_permissions": "as above",
    "auth_group": "as above",
    "auth_group_permissions": "as above",
    "django_admin_log": "Django's admin pages only show",
}
"""Tables that no lab fills, and why."""


@pytest.fixture(autouse=True)
def databases(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """These tests make databases of their own."""
    with django_db_blocker.unblock():
        yield


def values_of(alias: str, state_apps: Any) -> dict[str, dict[Any, dict[str, Any]]]:
    """Table to primary key to column to value."""
    found = {}
    for model in state_apps.get_models(include_auto_created=True):
        columns = [field.column for field in stored_fields(model)]
        rows = [dict(zip(columns, row, strict=True)) for row in rows_of(model, alias)]
        found[model._meta.db_table] = {row[model._meta.pk.column]: row for row in rows}
    return found


@contextmanager
def as_default(alias: str) -> Iterator[None]:
    """Pages and commands work on the database of that alias."""
    usual = connections["default"]
    connections["default"] = connections[alias]
    try:
        yield
    finally:
        connections["default"] = usual


@pytest.mark.parametrize("name", names())
def test_every_row_of_an_earlier_version_is_kept_as_it_was(name: str, tmp_path: Path) -> None:
    with old_database(name, tmp_path) as alias:
        executor = MigrationExecutor(connections[alias])
        leaves = executor.loader.graph.leaf_nodes()
        plan = executor.migration_plan(leaves)
        state = executor.loader.project_state(
            [
                key
                for key in executor.loader.applied_migrations
                if key in executor.loader.graph.nodes
            ]
        )
        before = values_of(alias, state.apps)
        assert len(before["annotation_judgment"]) == JUDGMENTS.get(name, 17)
        assert len(before["pipeline_document"]) == 57
        executor.migrate(leaves)
        connections[alias].check_constraints()
        after = values_of(alias, apps)
        for table, rows in before.items():
            assert rows.keys() <= after[table].keys(), table
            for key, row in rows.items():
                now = after[table][key]
                assert {column: now[column] for column in row if column in now} == {
                    column: value for column, value in row.items() if column in now
                }
        if name != NEWEST:
            assert plan
        assert MigrationExecutor(connections[alias]).migration_plan(leaves) == []
        # Identities go on behind the rows that are there.
        dataset = apps.get_model("pipeline", "Dataset")
        numbers = set(before["pipeline_dataset"])
        new = dataset._base_manager.using(alias).get(pk=max(numbers))
        new.pk, new.slug, new.name = None, "another", "Another"
        new.save(using=alias)
        assert new.pk not in numbers


def test_the_newest_state_has_a_row_in_each_table_that_a_lab_fills() -> None:
    """A migration is tried only on tables with rows: see `tests.support.whole_lab`."""
    assert {table for table, (_, rows) in read_state(NEWEST).items() if not rows} == set(EMPTY)


def test_the_newest_state_is_an_installation_that_works(tmp_path: Path) -> None:
    with old_database(NEWEST, tmp_path) as alias:
        executor = MigrationExecutor(connections[alias])
        executor.migrate(executor.loader.graph.leaf_nodes())
        with as_default(alias):
            call_command("check", databases=["default"])
            state = read_state(NEWEST)
            for model in apps.get_models():
                _, rows = state.get(model._meta.db_table, ([], []))
                assert model._base_manager.count() >= len(rows), model
            browser = Client()
            browser.force_login(User.objects.get(username="demo-researcher"))
            study = Campaign.objects.get(name="A study")
            of_study = ("", "results/", "reliability/", "checks/", "consent/edit/", "questions/")
            for address in (
                *(f"/campaigns/{study.slug}/{page}" for page in of_study),
                *(f"/campaigns/{each.slug}/" for each in Campaign.objects.all()),
                f"/campaigns/{Campaign.objects.exclude(crowd=None).get().slug}/crowd/",
                *(f"/runs/{each.pk}/" for each in Run.objects.all()),
                *(f"/revisions/{each.pk}/" for each in Revision.objects.all()),
                f"/questions/{RaterQuestion.objects.get().pk}/",
                f"/adjudicate/{Item.objects.exclude(adjudications=None).get().pk}/",
                f"/try/{Trial.objects.get().pk}/",
                *("/account/", "/datasets/answers/", "/uploads/1/"),
            ):
                assert browser.get(address).status_code == 200, address
            questions = browser.get(f"/campaigns/{study.slug}/questions/").content.decode()
            assert "Does the date count?" in questions
            assert ExportJob.objects.get().state == ExportJob.State.DONE
