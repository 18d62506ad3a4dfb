"""No export names a rater."""

import io
import json
from collections.abc import Iterator

import pyarrow.parquet
import pytest
from django.test import Client

from annotation.exporting import FORMATS, Export, load_format
from annotation.models import Assignment, PlatformIdentity
from annotation.quality_control.reference_answers import checkable
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import enter, make_crowd, participant_named
from tests.support.judged import EMAIL, EXPORTS, IDS, judged_campaign

pytestmark = pytest.mark.django_db


def forbidden(raters: list[User]) -> Iterator[str]:
    """Whatever would tell who somebody is."""
    yield from IDS
    yield from (EMAIL, "Olga", "Petrova", "petrova", "adele", "placeholder-account")
    for user in raters:
        yield user.username
        yield str(user.pk)
    for identity in PlatformIdentity.objects.all():
        yield from (identity.platform_id, identity.study_id, identity.session_id)
    for user in User.objects.all():
        yield user.username


def assert_nobody(text: str, raters: list[User], where: str) -> None:
    for word in forbidden(raters):
        assert word not in text, (word, where)


LABELS = set(FORMATS) - {"checks", "reference_answers"}
"""The formats that hold everybody's judgments; the others hold the one gold item's."""


@pytest.mark.parametrize("kind", EXPORTS)
def test_no_export_names_anybody(kind: str) -> None:
    campaign, raters = judged_campaign(kind)
    for name in EXPORTS[kind]:
        made = Export(campaign=campaign, format=load_format(name))
        data = b"".join(made.chunks())
        if name == "parquet":
            text = str(pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist())
        else:
            text = data.decode()
        if name in LABELS:
            assert len(made.counts.raters) == 3, name
        elif checkable(campaign):
            assert made.counts.lines == 1, name
        assert_nobody(text, raters, name)
        reported = json.dumps(made.manifest(), ensure_ascii=False)
        assert json.loads(reported)["counts"]["raters"] == len(made.counts.raters), name
        assert_nobody(reported, raters, name)


def test_what_a_rater_is_shown_and_sent_names_no_other(client: Client) -> None:
    _, raters = judged_campaign("attribution")
    me, *others = raters
    client.force_login(me)
    mine = Assignment.objects.filter(rater=me).latest("pk")
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 2}
    message = client.put(
        f"/api/tasks/{mine.pk}/judgments/", {"answers": [answer]}, content_type="application/json"
    )
    assert message.status_code == 200
    pages = ["/", "/campaigns/", "/campaigns/bridges/", "/campaigns/bridges/guidelines/"]
    texts = [message.content.decode(), client.get(f"/tasks/{mine.pk}/").content.decode()]
    texts += [client.get(page).content.decode() for page in pages]
    for text in texts:
        for other in others:
            assert other.username not in text
            assert str(other.pk) not in text
        assert not any(each in text for each in IDS)


def test_a_platforms_id_is_in_no_table_but_its_own() -> None:
    campaign = make_campaign()
    crowd = make_crowd(campaign)
    enter(crowd, IDS[0], session=IDS[2])
    participant = participant_named(crowd, IDS[0])
    for row in (participant, participant.user):
        held = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
        assert not any(each in str(held) for each in IDS)
