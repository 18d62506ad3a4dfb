"""The command that deletes cached answers of models and searches."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from pipeline.backends.response_cache import SqliteCache
from pipeline.runs.answer_cache import DatabaseCache


@pytest.fixture(autouse=True)
def _state_folder(tmp_path: Path, settings: Any) -> None:
    settings.VAR_DIR = tmp_path


def forget(*arguments: str) -> str:
    message = io.StringIO()
    call_command("forget_answers", *arguments, stdout=message)
    return message.getvalue()


@pytest.mark.django_db
def test_answers_are_deleted_from_the_database_and_the_file(tmp_path: Path) -> None:
    DatabaseCache().put_many({"a": 1, "b": 2})
    SqliteCache(tmp_path / "answers.sqlite3").put_many({"c": 3})
    with pytest.raises(CommandError, match="from 0 to 36500"):
        forget("--older-than=-1")
    with pytest.raises(CommandError, match="required"):
        forget()
    assert forget("--older-than", "1") == "Deleted: 0 answers.\n"
    assert len(DatabaseCache().get_many(["a", "b"])) == 2
    assert forget("--all") == "Deleted: 3 answers.\n"
    assert DatabaseCache().get_many(["a", "b"]) == {}
    assert SqliteCache(tmp_path / "answers.sqlite3").get_many(["c"]) == {}
