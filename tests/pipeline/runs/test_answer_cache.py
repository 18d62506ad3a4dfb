"""Answers kept in the database and in a file: the same promises."""

import logging
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from pipeline.backends.response_cache import ResponseCache, SqliteCache, cache_key
from pipeline.models import CachedAnswer
from pipeline.runs import answer_cache
from pipeline.runs.answer_cache import DatabaseCache

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["database", "file"])
def responses(request: pytest.FixtureRequest, tmp_path: Path) -> ResponseCache:
    if request.param == "database":
        return DatabaseCache()
    return SqliteCache(tmp_path / "deep" / "answers.sqlite3")


def test_what_is_cached_is_returned_until_it_is_replaced(responses: ResponseCache) -> None:
    values = {
        cache_key("k", n=1): {"text": "Zürich \x00 \ud83d"},
        cache_key("k", n=2): [1, None, 2.5],
        cache_key("k", n=3): "",
    }
    responses.put_many(values)
    assert responses.get_many([*values, cache_key("k", n=4)]) == values
    assert responses.get_many([]) == {}
    many = {f"{n:064x}": n for n in range(1200)}
    responses.put_many(many)
    assert responses.get_many(list(many)) == many
    responses.put_many({"a": 1, "b": 2})
    responses.put_many({"b": 3})
    assert responses.get_many(["a", "b"]) == {"a": 1, "b": 3}


def test_answers_from_before_a_refresh_are_not_used(tmp_path: Path) -> None:
    DatabaseCache().put_many({"k": 1})
    SqliteCache(tmp_path / "a").put_many({"k": 1})
    later = timezone.now() + timedelta(milliseconds=1)
    time.sleep(0.005)
    for fresh, plain in (
        (DatabaseCache(since=later), DatabaseCache()),
        (SqliteCache(tmp_path / "a", since=later.timestamp()), SqliteCache(tmp_path / "a")),
    ):
        assert fresh.get_many(["k"]) == {}
        fresh.put_many({"k": 2})
        assert fresh.get_many(["k"]) == {"k": 2}
        assert plain.get_many(["k"]) == {"k": 2}


def test_a_file_that_cannot_be_used_is_reported_once_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a").write_text("no database at all, but long enough to be looked at" * 40)
    broken = SqliteCache(tmp_path / "a")
    with caplog.at_level(logging.WARNING, logger="pipeline"):
        broken.put_many({"k": 1})
        assert broken.get_many(["k"]) == {}
        broken.put_many({"k": 1})
    assert caplog.text.count("responses are not cached") == 1


def test_a_value_in_the_file_that_is_no_json_is_no_answer(tmp_path: Path) -> None:
    SqliteCache(tmp_path / "a").put_many({"k": 1})
    with sqlite3.connect(tmp_path / "a") as connection:
        connection.execute("UPDATE answers SET value = '{'")
    assert SqliteCache(tmp_path / "a").get_many(["k"]) == {}


def test_the_store_is_emptied() -> None:
    DatabaseCache().put_many({"a": "four", "b": "five5"})
    CachedAnswer.objects.filter(key="a").update(cached_at=timezone.now() - timedelta(days=40))
    assert answer_cache.forget(before=timezone.now() - timedelta(days=30)) == 1
    assert list(DatabaseCache().get_many(["a", "b"])) == ["b"]
    assert answer_cache.forget() == 1
    assert not CachedAnswer.objects.exists()


def test_a_key_reports_all_that_decides_an_answer() -> None:
    assert cache_key("search", query="a", limit=5) == cache_key("search", limit=5, query="a")
    others = {
        cache_key("search", query="a", limit=6),
        cache_key("search", query="b", limit=5),
        cache_key("page", query="a", limit=5),
    }
    assert len({*others, cache_key("search", query="a", limit=5)}) == 4
    assert all(len(key) == 64 for key in others)
