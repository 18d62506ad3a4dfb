"""Databases of earlier versions, with people's work in them, come up to date without a loss."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from pytest_django.plugin import DjangoDbBlocker

from rarrweb.backups.digests import rows_of, stored_fields
from tests.support.old_databases import names, old_database

pytestmark = pytest.mark.django_db


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
        assert len(before["annotation_judgment"]) == 17
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
        assert plan
        assert MigrationExecutor(connections[alias]).migration_plan(leaves) == []
        # Identities go on behind the rows that are there.
        dataset = apps.get_model("pipeline", "Dataset")
        numbers = set(before["pipeline_dataset"])
        new = dataset._base_manager.using(alias).get(pk=max(numbers))
        new.pk, new.slug, new.name = None, "another", "Another"
        new.save(using=alias)
        assert new.pk not in numbers
