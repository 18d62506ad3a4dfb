"""Rows that are written past the models are read back as they were given."""

import pytest

from pipeline.models import Passage
from rarrweb.bulk_insert import insert_rows
from tests.support.factories import make_dataset

pytestmark = pytest.mark.django_db


def test_rows_are_read_back_as_they_were_given_and_else_as_the_model_is() -> None:
    like = Passage(dataset=make_dataset(), context="Why?", content_hash="-")
    texts = ["“Ribble”, 100 % wet\n", "", "ß"]
    sources = [{"quotes": [{"idx": 1, "text": text, "none": None}]} for text in texts]
    insert_rows(
        like,
        [
            {"external_id": f"p{number}", "text": text, "source": source}
            for number, (text, source) in enumerate(zip(texts, sources, strict=True))
        ],
    )
    found = list(like.dataset.passages.order_by("pk"))
    assert [each.external_id for each in found] == ["p0", "p1", "p2"]
    assert [each.text for each in found] == texts
    assert [each.source for each in found] == sources
    assert {(each.context, each.content_hash) for each in found} == {("Why?", "-")}
    assert found[0].created_at == found[2].created_at
