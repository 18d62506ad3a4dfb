"""Queries that are built once take their values anew each time."""

import threading
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections
from django.db.models import F, QuerySet
from django.test.utils import CaptureQueriesContext

from annotation.models import Membership
from rarrweb.accounts.models import User
from rarrweb.prepared import Prepared, PreparedModels
from tests.annotation.factories import make_campaign
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


def test_rows_come_as_models_with_what_the_query_selected() -> None:
    built = []

    def joined(name: str) -> QuerySet[Membership]:
        built.append(name)
        return (
            Membership.objects.filter(user__username=name)
            .select_related("user", "campaign__checks")
            .annotate(named=F("campaign__name"))
            .order_by("campaign__name")
        )

    person = make_user()
    first, second = (make_campaign(raters=(person,), name=name) for name in ("A", "B"))
    query = PreparedModels(joined)
    plain = list(joined(person.username))
    built.clear()
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            found = query(person.username)
            assert [each.user for each in found] == [person, person]
            assert [each.campaign for each in found] == [first, second]
            assert [getattr(each.campaign, "checks", None) for each in found] == [None, None]
        assert len(asked) == 1
        assert [vars(each)["named"] for each in found] == ["A", "B"]
        assert [type(each.created_at) for each in found] == [datetime, datetime]
        assert [each.created_at for each in found] == [each.created_at for each in plain]
    assert len(built) == 1
    assert query("nobody") == []
    assert query.first("nobody") is None
    assert query.first(person.username) == plain[0]


def test_a_column_that_was_not_selected_is_read_when_it_is_asked_for() -> None:
    user = make_user()
    [found] = PreparedModels(lambda key: User.objects.filter(pk=key).only("username"))(user.pk)
    assert found.get_deferred_fields() >= {"email", "password"}
    assert found.password == user.password


def test_a_text_is_a_parameter_whatever_it_says() -> None:
    hostile = "' OR 1=1 --"
    make_user()
    query = PreparedModels(lambda name: User.objects.filter(username=name))
    assert query(hostile) == []
    named = make_user(username="x%s{}")
    assert query("x%s{}") == [named]


@pytest.mark.django_db(transaction=True)
def test_threads_share_what_is_built_and_ask_through_their_own_connections() -> None:
    user = make_user()
    built = []

    def by_key(key: int) -> QuerySet[User]:
        built.append(key)
        return User.objects.filter(pk=key)

    query = PreparedModels(by_key)
    assert query(user.pk) == [user]
    found: list[list[User]] = []

    def ask() -> None:
        try:
            found.append(query(user.pk))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[user]] * 3
    assert len(built) == 1


@pytest.mark.parametrize("value", [2**63, -(2**63), 10**40])
def test_a_number_that_no_column_holds_is_in_no_row(value: int) -> None:
    make_user()
    assert PreparedModels(lambda key: User.objects.filter(pk=key))(value) == []
    assert Prepared(lambda key: User.objects.filter(pk=key).values_list("pk"))(value) == []


def test_a_text_that_no_column_holds_is_in_no_row() -> None:
    make_user(username="anna")
    query = PreparedModels(lambda name: User.objects.filter(username=name))
    assert query("anna\x00") == []
    assert len(query("anna")) == 1
