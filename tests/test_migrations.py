"""Migrations have a name that says their purpose, and a way back."""

import re

import pytest
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader

LOADER = MigrationLoader(None)
OWN = {
    f"{app}.{name}": migration
    for (app, name), migration in LOADER.disk_migrations.items()
    if app in {"accounts", "pipeline", "annotation"}
}


def test_every_room_with_tables_has_migrations() -> None:
    assert {key.split(".")[0] for key in OWN} == {"accounts", "pipeline", "annotation"}


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_migration_is_named_for_its_purpose(name: str) -> None:
    assert re.fullmatch(r"[a-z]+\.\d{4}_[a-z][a-z_0-9]+", name)
    assert "_auto_" not in name
    assert "_merge_" not in name


@pytest.mark.parametrize("migration", OWN.values(), ids=OWN.keys())
def test_a_migration_can_be_taken_back(migration: Migration) -> None:
    assert all(operation.reversible for operation in migration.operations)


@pytest.mark.django_db
def test_no_two_migrations_of_a_room_stand_side_by_side() -> None:
    assert MigrationLoader(connection).detect_conflicts() == {}
