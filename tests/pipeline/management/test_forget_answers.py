"""The command that deletes cached answers of models and searches."""

import io

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from pipeline.backends.response_cache import SqliteCache
from pipeline.runs.answer_cache import DatabaseCache


def forget(*arguments: str) -> str:
    message = io.StringIO()
    call_command("forget_answers", *arguments, stdout=message)
    return message.getvalue()


@pytest.mark.django_db
def test_answers_are_deleted_from_the_database_and_the_file(
    state_folder: None, settings: Settings
) -> None:
    path = settings.VAR_DIR / "answers.sqlite3"
    DatabaseCache().put_many({"a": 1, "b": 2})
    SqliteCache(path).put_many({"c": 3})
    with pytest.raises(CommandError, match="from 0 to 36500"):
        forget("--older-than=-1")
    with pytest.raises(CommandError, match="required"):
        forget()
    assert forget("--older-than", "1") == "Deleted: 0 answers.\n"
    assert len(DatabaseCache().get_many(["a", "b"])) == 2
    assert forget("--all") == "Deleted: 3 answers.\n"
    assert DatabaseCache().get_many(["a", "b"]) == {}
    assert SqliteCache(path).get_many(["c"]) == {}
