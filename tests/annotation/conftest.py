"""Campaigns and items that tests of several folders begin with."""

import pytest
from django.core.cache import cache

from annotation.models import Assignment, Campaign, Crowd
from annotation.results import cached_figures
from rarrweb.accounts.models import User
from tests.support.campaigns import make_assignment, make_campaign
from tests.support.crowds import make_crowd


@pytest.fixture
def campaign(annotator: User) -> Campaign:
    return make_campaign(raters=(annotator,))


@pytest.fixture
def assignment(annotator: User) -> Assignment:
    return make_assignment(annotator)


@pytest.fixture
def crowd(db: None) -> Crowd:
    return make_crowd(make_campaign(passages=6))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every campaign is large, and nothing is cached."""
    monkeypatch.setattr(cached_figures, "SMALL", 0)
    cache.clear()
