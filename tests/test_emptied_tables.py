"""A test with real transactions leaves nothing behind, and Django's own rows as they were."""

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import TransactionTestCase

from annotation.models import Judgment
from tests.support.campaigns import make_campaign
from tests.support.emptied_tables import empty_tables, tables_with_rows
from tests.support.factories import make_user
from tests.support.reference_answers import judge_next


@pytest.mark.django_db(transaction=True)
def test_every_row_goes_and_djangos_own_stay() -> None:
    kept = ContentType.objects.count(), Permission.objects.count()
    assert min(kept) > 40
    anna = make_user("anna")
    judge_next(anna, make_campaign(raters=(anna,)), (1, 1, 0))
    assert Judgment.objects.exists()
    assert len(tables_with_rows(connection)) > 10
    empty_tables(TransactionTestCase())
    assert tables_with_rows(connection) == []
    assert not Judgment.objects.exists()
    assert (ContentType.objects.count(), Permission.objects.count()) == kept
