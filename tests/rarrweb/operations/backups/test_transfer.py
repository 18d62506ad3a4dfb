"""Transfer from SQLite to PostgreSQL is complete or changes nothing."""

import itertools
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.db.migrations.executor import MigrationExecutor

from annotation.judging.claims import claim_next
from annotation.models import Judgment
from pipeline.models import Passage
from rarrweb.accounts.models import User
from rarrweb.operations.backups import transfer as module
from rarrweb.operations.backups.archive import BackupError
from rarrweb.operations.backups.transfer import SOURCE, transfer
from tests.support.campaigns import judge_everything, make_campaign
from tests.support.factories import make_user
from tests.support.skips import on_postgresql, on_sqlite

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = apps.get_models(include_auto_created=True)
FAULTS = {
    "UPDATE pipeline_passage SET text = 'a' || char(0) || 'b'": (
        r"pipeline_passage, row \d+: .*NUL"
    ),
    "UPDATE pipeline_passage SET content_hash = hex(zeroblob(300))": (
        r"pipeline_passage, row \d+: value too long"
    ),
    "DELETE FROM django_migrations WHERE app = 'pipeline'": "are pending",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    rater = make_user()
    make_campaign(raters=(rater,))
    assignment = claim_next(rater)
    assert assignment
    judge_everything(assignment)
    path = tmp_path / "db.sqlite3"
    with module._source(path):
        executor = MigrationExecutor(connections[SOURCE])
        executor.migrate(executor.loader.graph.leaf_nodes())
        with transaction.atomic(using=SOURCE):
            for model in MODELS:
                model._base_manager.using(SOURCE).all().delete()
            for row in itertools.chain(*(model._base_manager.all() for model in MODELS)):
                row.save_base(raw=True, using=SOURCE, force_insert=True)
    call_command("flush", interactive=False, verbosity=0)
    return path


def change(source: Path, statement: str) -> None:
    with closing(sqlite3.connect(source, timeout=0)) as opened, opened:
        opened.execute(statement)


@on_sqlite
def test_only_postgresql_is_a_target(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not name a PostgreSQL"):
        call_command("migrate_database", str(tmp_path / "db.sqlite3"))


@on_postgresql
def test_all_rows_arrive_unchanged_or_none(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for statement, message in FAULTS.items():
        faulty = shutil.copy(source, source.with_name("faulty.sqlite3"))
        change(faulty, statement)
        with pytest.raises(BackupError, match=message):
            transfer(faulty)
        assert not User.objects.exists()
    copy = module._copy_table
    with monkeypatch.context() as patched:
        patched.setattr(
            module, "_copy_table", lambda model: None if model is Judgment else copy(model)
        )
        with pytest.raises(BackupError, match=r"annotation_judgment has \d rows"):
            transfer(source)
        patched.setattr(
            module, "_copy_table", lambda model: change(source, "DELETE FROM annotation_judgment")
        )
        with pytest.raises(sqlite3.OperationalError, match="database is locked"):
            transfer(source)
    assert not User.objects.exists()
    assert not Passage.objects.exists()
    with module._source(source):
        expected = {
            model: list(model._base_manager.using(SOURCE).order_by("pk").values())
            for model in MODELS
        }
    call_command("migrate_database", str(source))
    assert "annotation_judgment" in capsys.readouterr().out
    for model, rows in expected.items():
        assert list(model._base_manager.order_by("pk").values()) == rows, model
    assert Judgment.objects.exists()
    assert make_user("next").pk > max(row["id"] for row in expected[User])
    with pytest.raises(BackupError, match="has accounts already"):
        transfer(source)


@on_postgresql
def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="There is no file"):
        transfer(tmp_path / "none.sqlite3")
