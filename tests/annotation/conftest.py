"""Campaigns and items that tests of several folders begin with."""

import pytest

from annotation.models import Assignment, Campaign, Crowd
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
