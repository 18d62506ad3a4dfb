"""Pages and filters of API lists."""

from base64 import b64encode
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pipeline.models import Dataset, Run, Upload
from rarrweb.accounts.models import User
from tests.support.api import errors_of
from tests.support.campaigns import make_campaign, make_judgeable_run
from tests.support.factories import make_corpus, make_dataset, make_revision, make_run

pytestmark = pytest.mark.django_db


def walk(program: Client, path: str) -> list[Any]:
    result: list[Any] = []
    while path:
        page = program.get(path).json()
        result += page["results"]
        path = page["next"]
    return result


def test_all_pages_together_are_the_whole_list_newest_first(program: Client) -> None:
    made = [make_dataset().slug for _ in range(7)]
    assert [row["slug"] for row in walk(program, "/api/datasets/?limit=2")] == made[::-1]


def test_rows_that_change_meanwhile_shift_no_page(program: Client) -> None:
    fourth, third, second, _ = (make_dataset() for _ in range(4))
    first_page = program.get("/api/datasets/?limit=2").json()
    make_dataset(name="a newcomer")
    second.delete()  # the last row of the first page
    second_page = program.get(first_page["next"]).json()
    assert [row["slug"] for row in second_page["results"]] == [third.slug, fourth.slug]
    assert second_page["next"] is None


def test_an_unknown_parameter_is_refused_with_those_that_are_allowed(program: Client) -> None:
    errors = errors_of(program.get("/api/datasets/?colour=red"), 400)
    assert [each["attr"] for each in errors] == ["colour"]
    assert "archived, cursor, limit, q" in errors[0]["detail"]
    slug = make_dataset().slug
    assert "allowed here: none" in str(errors_of(program.get(f"/api/datasets/{slug}/?a=b"), 400))
    errors_of(program.get("/api/datasets/?q=a&q=b"), 400)


@pytest.mark.parametrize("query", ["archived=maybe", "state=none", "q=" + "x" * 201])
def test_a_value_that_cannot_be_is_refused(program: Client, query: str) -> None:
    name = query.partition("=")[0]
    errors = errors_of(program.get(f"/api/corpora/?{query}"), 400)
    assert [each["attr"] for each in errors] == [name]


def test_an_archived_row_can_be_read_and_changed_by_its_address(program: Client) -> None:
    run = make_run(corpus=make_corpus())
    campaign = make_campaign(run=make_judgeable_run())
    for row in (run, run.dataset, run.corpus, campaign):
        row.archived_at = timezone.now()
        row.save()
    paths = [f"runs/{run.pk}", f"datasets/{run.dataset.slug}", f"corpora/{run.corpus.slug}"]
    for path in (*paths, f"campaigns/{campaign.slug}"):
        assert program.get(f"/api/{path}/").json()["archived_at"] is not None
    assert program.post(f"/api/campaigns/{campaign.slug}/close/").status_code == 200


@pytest.mark.parametrize(
    "position", ["p=x", "p=1e5", "p=%00", "p=" + "9" * 30, "o=x", "o=-1", "r=x"]
)
def test_a_cursor_that_no_page_gave_begins_anywhere_or_nowhere(
    program: Client, position: str
) -> None:
    make_dataset()
    cursor = b64encode(position.encode()).decode()
    assert program.get("/api/datasets/", {"cursor": cursor}).status_code in {200, 404}


@pytest.mark.parametrize("limit", ["0", "x", "-1", "501", "9" * 30])
def test_no_page_has_more_than_500_rows(program: Client, limit: str) -> None:
    Dataset.objects.bulk_create(Dataset(name=str(n), slug=str(n)) for n in range(501))
    rows = program.get(f"/api/datasets/?limit={limit}").json()["results"]
    assert len(rows) == (500 if limit in {"501", "9" * 30} else 50)


def test_filters_narrow_and_archived_rows_are_excluded(program: Client) -> None:
    make_dataset(name="Rivers of England")
    make_dataset(name="Bridges", description="over rivers")
    make_dataset(name="Old", archived_at=timezone.now())
    names = lambda query: {row["name"] for row in walk(program, f"/api/datasets/{query}")}  # noqa: E731
    assert names("") == {"Rivers of England", "Bridges"}
    assert names("?q=RIVERS") == {"Rivers of England", "Bridges"}
    assert names("?q=bridge") == {"Bridges"}
    assert names("?archived=true") == {"Old"}


@pytest.mark.parametrize(
    "path", ["datasets", "corpora", "runs", "runs/{run}/revisions", "campaigns", "uploads"]
)
def test_more_rows_take_no_more_queries(
    program: Client, path: str, django_assert_num_queries: Any
) -> None:
    def add(number: int) -> Run:
        run = make_run(created_by=User.objects.get(username="ruth"))
        for _ in range(number):
            make_revision(run), make_revision(created_run(run))
            Upload.objects.create(kind="passages", dataset=run.dataset, stored_name=str(uuid4()))
            make_campaign(run=make_judgeable_run(passages=1))
        return run

    def created_run(run: Run) -> Run:
        return make_run(dataset=run.dataset, corpus=make_corpus(created_by=run.created_by))

    address = f"/api/{path}/".replace("{run}", str(add(1).pk))
    with CaptureQueriesContext(connection) as few:
        assert program.get(address).status_code == 200
    address = f"/api/{path}/".replace("{run}", str(add(4).pk))
    with django_assert_num_queries(len(few) - _uses(few)):
        assert len(program.get(address).json()["results"]) >= 4


def _uses(queries: Any) -> int:
    return sum("UPDATE" in each["sql"] for each in queries)
