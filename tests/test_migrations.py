"""Migrations are reversible and do not conflict."""

import pytest
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

LOADER = MigrationLoader(None)
OURS = {
    f"{app}.{name}": migration
    for (app, name), migration in LOADER.disk_migrations.items()
    if app in {"accounts", "pipeline", "annotation"}
}


@pytest.mark.parametrize("migration", OURS.values(), ids=OURS.keys())
def test_a_migration_can_be_taken_back(migration: Migration) -> None:
    assert all(operation.reversible for operation in migration.operations)


@pytest.mark.django_db
def test_no_two_migrations_of_a_room_stand_side_by_side() -> None:
    assert MigrationLoader(connection).detect_conflicts() == {}
