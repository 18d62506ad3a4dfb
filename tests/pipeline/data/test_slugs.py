"""Slugs for what people name, and finding it by either."""

import pytest
from django.db import IntegrityError

from pipeline.data import slugs
from pipeline.data.slugs import NameTaken, create_named, find_named
from pipeline.models import Dataset
from tests.support.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("is_unique", [False, True])
def test_a_slug_or_name_that_is_taken_at_the_same_moment_is_noticed(
    monkeypatch: pytest.MonkeyPatch, is_unique: bool
) -> None:
    def rival(*parts: object) -> object:
        # Between the query for slugs and the insertion.
        monkeypatch.undo()
        make_dataset(slug="bees", name="Bees")
        return iter(["bees-2" if is_unique else "bees"])

    monkeypatch.setattr(slugs, "chain", rival)
    if is_unique:
        with pytest.raises(NameTaken):
            create_named(Dataset, name="Bees", is_unique=True)
    else:
        assert create_named(Dataset, name="Bees").slug == "bees-2"


def test_another_broken_promise_is_not_tried_for_ever() -> None:
    with pytest.raises(IntegrityError):
        create_named(Dataset, name="Bees", passage_count=None)


def test_a_slug_goes_before_a_name() -> None:
    named, slugged = make_dataset(slug="one", name="two"), make_dataset(slug="two", name="one")
    assert find_named(Dataset, "two") == slugged
    make_dataset(slug="three", name="bees")
    assert find_named(Dataset, "one") == named
    assert find_named(Dataset, "wasps") is None
