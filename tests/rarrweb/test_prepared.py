"""Queries that are built once take their values anew each time."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import F

from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_each_call_asks_with_its_own_values() -> None:
    one, two = make_user(), make_user()
    built = []

    def named(key: int, since: datetime) -> object:
        built.append(key)
        return User.objects.filter(pk=key, date_joined__gte=since).values_list("pk", "username")

    query = Prepared(named)
    past = datetime(2020, 1, 1, tzinfo=UTC)
    assert query(one.pk, past) == [(one.pk, one.username)]
    assert query(two.pk, past) == [(two.pk, two.username)]
    assert query(two.pk, two.date_joined + timedelta(seconds=1)) == []
    assert len(built) == 1


def test_a_value_that_the_query_does_not_use_is_refused() -> None:
    query = Prepared(lambda key, other: User.objects.filter(pk=key).values_list("pk"))
    with pytest.raises(ValueError, match="value 2 is no parameter"):
        query(1, 2)


def test_a_value_may_be_used_twice() -> None:
    user = make_user()
    query = Prepared(lambda key: User.objects.filter(pk=key, id__lte=key).values_list(F("pk")))
    assert query(user.pk) == [(user.pk,)]
