"""Answers kept in the database and in a file: the same promises."""

import logging
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from pipeline.backends.answer_files import FileAnswers
from pipeline.backends.answers import Answers, key_of
from pipeline.models import KeptAnswer
from pipeline.runs import answer_cache
from pipeline.runs.answer_cache import DatabaseAnswers

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["database", "file"])
def answers(request: pytest.FixtureRequest, tmp_path: Path) -> Answers:
    if request.param == "database":
        return DatabaseAnswers()
    return FileAnswers(tmp_path / "deep" / "answers.sqlite3")


def test_what_is_kept_is_found_again(answers: Answers) -> None:
    values = {
        key_of("k", n=1): {"text": "Zürich \x00 \ud83d"},
        key_of("k", n=2): [1, None, 2.5],
        key_of("k", n=3): "",
    }
    answers.put_many(values)
    assert answers.get_many([*values, key_of("k", n=4)]) == values
    assert answers.get_many([]) == {}
    many = {f"{n:064x}": n for n in range(1200)}
    answers.put_many(many)
    assert answers.get_many(list(many)) == many


def test_a_later_answer_takes_the_place_of_an_earlier_one(answers: Answers) -> None:
    answers.put_many({"a": 1, "b": 2})
    answers.put_many({"b": 3})
    assert answers.get_many(["a", "b"]) == {"a": 1, "b": 3}


def test_a_file_is_shared_with_those_who_open_it_later(tmp_path: Path) -> None:
    FileAnswers(tmp_path / "a").put_many({"k": 1})
    assert FileAnswers(tmp_path / "a").get_many(["k"]) == {"k": 1}


def test_answers_from_before_a_refresh_are_asked_anew(tmp_path: Path) -> None:
    DatabaseAnswers().put_many({"k": 1})
    FileAnswers(tmp_path / "a").put_many({"k": 1})
    later = timezone.now() + timedelta(milliseconds=1)
    time.sleep(0.005)
    for fresh, plain in (
        (DatabaseAnswers(since=later), DatabaseAnswers()),
        (FileAnswers(tmp_path / "a", since=later.timestamp()), FileAnswers(tmp_path / "a")),
    ):
        assert fresh.get_many(["k"]) == {}
        fresh.put_many({"k": 2})
        assert fresh.get_many(["k"]) == {"k": 2}
        assert plain.get_many(["k"]) == {"k": 2}


def test_a_file_that_cannot_be_used_is_said_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a").write_text("no database at all, but long enough to be looked at" * 40)
    broken = FileAnswers(tmp_path / "a")
    with caplog.at_level(logging.WARNING, logger="pipeline"):
        broken.put_many({"k": 1})
        assert broken.get_many(["k"]) == {}
        broken.put_many({"k": 1})
    assert caplog.text.count("answers are not kept") == 1


def test_a_value_in_the_file_that_is_no_json_is_no_answer(tmp_path: Path) -> None:
    FileAnswers(tmp_path / "a").put_many({"k": 1})
    with sqlite3.connect(tmp_path / "a") as connection:
        connection.execute("UPDATE answers SET value = '{'")
    assert FileAnswers(tmp_path / "a").get_many(["k"]) == {}


def test_the_store_is_emptied() -> None:
    DatabaseAnswers().put_many({"a": "four", "b": "five5"})
    KeptAnswer.objects.filter(key="a").update(kept_at=timezone.now() - timedelta(days=40))
    assert answer_cache.forget(before=timezone.now() - timedelta(days=30)) == 1
    assert list(DatabaseAnswers().get_many(["a", "b"])) == ["b"]
    assert answer_cache.forget() == 1
    assert not KeptAnswer.objects.exists()


def test_a_key_says_all_that_decides_an_answer() -> None:
    assert key_of("search", query="a", limit=5) == key_of("search", limit=5, query="a")
    others = {
        key_of("search", query="a", limit=6),
        key_of("search", query="b", limit=5),
        key_of("page", query="a", limit=5),
    }
    assert len({*others, key_of("search", query="a", limit=5)}) == 4
    assert all(len(key) == 64 for key in others)
