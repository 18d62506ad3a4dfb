"""Slugs for what people name, and finding it by either."""

import pytest
from django.db import IntegrityError

from pipeline.data import slugs
from pipeline.data.slugs import create_named, find_named
from pipeline.models import Dataset
from tests.support.factories import make_dataset

pytestmark = pytest.mark.django_db


def make(name: str, **values: object) -> Dataset:
    return create_named(Dataset, name=name, **values)


def test_a_slug_that_somebody_takes_at_the_same_moment_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rival(*parts: object) -> object:
        # Between the look at the slugs that are taken and taking one.
        monkeypatch.undo()
        make_dataset(slug="bees")
        return iter(["bees"])

    monkeypatch.setattr(slugs, "chain", rival)
    assert make("Bees").slug == "bees-2"


def test_another_broken_promise_is_not_tried_for_ever() -> None:
    with pytest.raises(IntegrityError):
        make("Bees", passage_count=None)


def test_a_slug_goes_before_a_name() -> None:
    named, slugged = make_dataset(slug="one", name="two"), make_dataset(slug="two", name="one")
    assert find_named(Dataset, "two") == slugged
    make_dataset(slug="three", name="bees")
    assert find_named(Dataset, "one") == named
    assert find_named(Dataset, "wasps") is None
