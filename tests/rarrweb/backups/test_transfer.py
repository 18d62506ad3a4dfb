"""From SQLite to PostgreSQL: every row, compared; or none."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from annotation.models import Judgment
from pipeline.models import Passage
from rarrweb.accounts.models import User
from rarrweb.backups import transfer as module
from rarrweb.backups.archive import BackupError
from rarrweb.backups.digests import RowSum
from rarrweb.backups.transfer import first_table_with_rows, transfer
from tests.support.factories import make_user
from tests.support.old_databases import names, old_database
from tests.support.skips import on_postgresql, on_sqlite

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A lab with a row in every table that people fill, in SQLite, with this version's tables."""
    with old_database(names()[-1], tmp_path, url="") as alias:
        executor = MigrationExecutor(connections[alias])
        executor.migrate(executor.loader.graph.leaf_nodes())
    return tmp_path / "old.sqlite3"


def change(source: Path, statement: str) -> None:
    with closing(sqlite3.connect(source)) as opened, opened:
        opened.execute(statement)


@on_sqlite
def test_it_goes_to_postgresql_only(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="DATABASE_URL names no PostgreSQL"):
        call_command("migrate_database", str(tmp_path / "db.sqlite3"))


@on_postgresql
def test_every_table_arrives_and_can_be_written_to(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = source.read_bytes()
    call_command("migrate_database", str(source))
    assert "rows of" in capsys.readouterr().out
    assert source.read_bytes() == before
    with closing(sqlite3.connect(source)) as opened:
        for model in module.tables_of_all():
            table = model._meta.db_table
            (expected,) = opened.execute(f'SELECT COUNT(*) FROM "{table}"').fetchone()
            assert model._base_manager.count() == expected, table
        texts = opened.execute("SELECT id, text FROM pipeline_passage").fetchall()
        judged = opened.execute("SELECT id, value FROM annotation_judgment").fetchall()
    assert dict(Passage.objects.values_list("pk", "text")) == dict(texts)
    assert dict(Judgment.objects.values_list("pk", "value")) == dict(judged)
    assert len(judged) == 27
    taken = set(User.objects.values_list("pk", flat=True))
    assert make_user("the-next").pk not in taken


@on_postgresql
def test_a_second_time_is_refused(source: Path) -> None:
    transfer(source)
    count = Judgment.objects.count()
    with pytest.raises(BackupError, match="has rows already"):
        transfer(source)
    assert Judgment.objects.count() == count


@on_postgresql
def test_a_text_that_postgresql_cannot_hold_is_named_and_nothing_arrives(source: Path) -> None:
    of_one = "WHERE id = (SELECT MAX(id) - 3 FROM pipeline_passage)"
    change(source, f"UPDATE pipeline_passage SET text = 'a' || char(0) || 'b' {of_one}")
    with pytest.raises(BackupError, match=r"pipeline_passage, row \d+: .*NUL"):
        transfer(source)
    assert first_table_with_rows("default") == ""
    change(source, f"UPDATE pipeline_passage SET text = 'a b' {of_one}")
    transfer(source)


@on_postgresql
def test_a_value_that_postgresql_refuses_is_named_by_its_row(source: Path) -> None:
    change(source, "UPDATE pipeline_passage SET content_hash = content_hash || 'x' WHERE id = 7")
    with pytest.raises(BackupError, match=r"pipeline_passage, row 7: value too long"):
        transfer(source)
    assert first_table_with_rows("default") == ""


@on_postgresql
def test_a_table_that_differs_undoes_all(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows_of = module.rows_of

    def fewer(model: type, alias: str) -> Iterator[tuple[object, ...]]:
        rows = rows_of(model, alias)
        if model is Judgment and alias == "default":
            next(rows)
        yield from rows

    monkeypatch.setattr(module, "rows_of", fewer)
    with pytest.raises(BackupError, match="annotation_judgment did not arrive as it was"):
        transfer(source)
    assert first_table_with_rows("default") == ""


@on_postgresql
def test_rows_of_another_version_are_refused_with_the_command(tmp_path: Path) -> None:
    with old_database(names()[0], tmp_path, url=""):
        pass
    with pytest.raises(BackupError, match=r"DATABASE_URL=sqlite:///.*manage.py migrate"):
        transfer(tmp_path / "old.sqlite3")


@on_postgresql
def test_nobody_writes_to_sqlite_meanwhile(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = module._copy_table
    refused = []

    def another_writes(*arguments: object) -> RowSum:
        try:
            with closing(sqlite3.connect(source, timeout=0)) as other, other:
                other.execute("DELETE FROM annotation_judgment")
        except sqlite3.OperationalError as error:
            refused.append(str(error))
        return copy(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "_copy_table", another_writes)
    transfer(source)
    assert set(refused) == {"database is locked"}
    with closing(sqlite3.connect(source)) as opened:
        (judged,) = opened.execute("SELECT COUNT(*) FROM annotation_judgment").fetchone()
    assert Judgment.objects.count() == judged


@on_postgresql
def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="There is no file"):
        transfer(tmp_path / "none.sqlite3")
