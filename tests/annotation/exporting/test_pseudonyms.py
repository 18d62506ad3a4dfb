"""Nobody is named in what leaves the site: every export's bytes, and what raters are shown."""

import io
import json
from collections.abc import Iterator

import pyarrow.parquet
import pytest
from django.core.management.color import no_style
from django.db import connection
from django.test import Client

from annotation.exporting import FORMATS, Export, load_format
from annotation.exporting.source import pseudonym
from annotation.judging.answers import Answer, save_comment, save_judgments, submit
from annotation.judging.claims import claim_next
from annotation.judging.skips import skip
from annotation.models import Adjudication, Assignment, Campaign, Item, PlatformIdentity
from annotation.quality.reference_answers import Right, checkable, use_item
from annotation.questionnaires import QUESTIONNAIRES, questionnaire_of
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import come, make_crowd, participant_named
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

IDS = ("70617274696369706e742d31", "7374756479", "73657373696f6e2d31")
EMAIL = "olga.petrova@university.example"


def fill_accounts() -> None:
    """So that an account's id is a number that nothing else in a file happens to be."""
    User.objects.create(pk=918_273_641, username="placeholder-account")
    # PostgreSQL counts on from its own sequence, which knows nothing of that row.
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), [User]):
            cursor.execute(sql)


def judged_campaign(questionnaire: str) -> tuple[Campaign, list[User]]:
    """Two items judged by two people with accounts and one of a crowd, and one of the two settled;
    a third that all of them skipped."""
    fill_accounts()
    names = ("olga.petrova", "pseudo+nymous@home")
    raters = [make_user(name) for name in names]
    User.objects.filter(pk__in=[each.pk for each in raters]).update(
        email=EMAIL, first_name="Olga", last_name="Petrova"
    )
    campaign = make_campaign(
        passages=3,
        questionnaire=questionnaire,
        sides="pair" if questionnaire == "intent" else "after",
        raters_per_item=3,
        raters=tuple(raters),
    )
    crowd = make_crowd(campaign)
    come(crowd, IDS[0], session=IDS[2])
    raters.append(participant_named(crowd, IDS[0]).user)
    for place, rater in enumerate(raters):
        while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
            if claimed.item.position == campaign.item_count:
                skip(claimed, reason="other", note="I would rather not.")
            else:
                judge(claimed, shift=place)
    settle_one(campaign)
    if checkable(campaign):
        check_one(campaign, raters[0])
    return campaign, raters


def judge(assignment: Assignment, *, shift: int) -> None:
    item = assignment.item
    answers = []
    for criterion in questionnaire_of(item.campaign).criteria:
        for target in criterion.asked(item):
            level = criterion.levels[shift % len(criterion.levels)]
            text = f"{item.text} Changed." if criterion.is_text else ""
            answers.append(
                Answer(
                    criterion=criterion.name,
                    target=target,
                    value=level.value,
                    sequence=1,
                    text=text,
                )
            )
    save_judgments(assignment, answers)
    save_comment(assignment, text="A remark.", sequence=1)
    assert submit(assignment) == []


def check_one(campaign: Campaign, rater: User) -> None:
    """The first item becomes a gold item, and one rater judged it as such."""
    item = Item.objects.filter(campaign=campaign).earliest("position")
    criterion = checkable(campaign)[0]
    right = {(criterion.name, criterion.asked(item)[0]): Right(value=criterion.levels[0].value)}
    use_item(item, use=Item.Use.GOLD, answers=right, by=make_user("adele.gold", role="researcher"))
    Assignment.objects.filter(item=item, rater=rater).update(slot=None, purpose=Item.Use.GOLD)


def settle_one(campaign: Campaign) -> None:
    item = Item.objects.filter(campaign=campaign).earliest("position")
    criterion = questionnaire_of(campaign).criteria[0]
    Adjudication.objects.create(
        item=item,
        criterion=criterion.name,
        target=0,
        value=criterion.levels[0].value,
        reason="Read again.",
        adjudicator=make_user("adele.judge", role=User.Role.RESEARCHER),
        updated_at=item.campaign.created_at,
    )


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


LABELS = set(FORMATS) - {"checks", "right_answers"}
"""The formats that hold everybody's judgments; the others hold the one gold item's."""
EXPORTS = {
    kind: [
        name for name in FORMATS if not load_format(name).kinds or kind in load_format(name).kinds
    ]
    for kind in QUESTIONNAIRES
}
"""The formats that a campaign of each kind leaves in."""


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
        told = made.manifest_text()
        assert json.loads(told)["counts"]["raters"] == len(made.counts.raters), name
        assert_nobody(told, raters, name)


def test_the_exports_look_at_every_kind() -> None:
    assert EXPORTS.keys() == set(QUESTIONNAIRES)
    assert {name for names in EXPORTS.values() for name in names} == set(FORMATS)


def test_a_pseudonym_is_stable_in_a_campaign_and_another_one_in_the_next(
    settings: object,
) -> None:
    one, two = make_campaign(), make_campaign(name="Other")
    rater = make_user()
    first = pseudonym(one, rater.pk)
    assert first == pseudonym(one, rater.pk)
    assert first != pseudonym(two, rater.pk)
    assert first != pseudonym(one, make_user().pk)
    settings.SECRET_KEY = "a key that only this installation has"  # type: ignore[attr-defined]
    assert first != pseudonym(one, rater.pk)


def test_what_a_rater_is_shown_and_sent_names_no_other(client: Client) -> None:
    _, raters = judged_campaign("attribution")
    me, *others = raters
    client.force_login(me)
    own = Assignment.objects.filter(rater=me).latest("pk")
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 2}
    said = client.put(
        f"/api/tasks/{own.pk}/judgments/", {"answers": [answer]}, content_type="application/json"
    )
    assert said.status_code == 200
    pages = ["/", "/campaigns/", "/campaigns/bridges/", "/campaigns/bridges/guidelines/"]
    texts = [said.content.decode(), client.get(f"/tasks/{own.pk}/").content.decode()]
    texts += [client.get(page).content.decode() for page in pages]
    for text in texts:
        for other in others:
            assert other.username not in text
            assert str(other.pk) not in text
        assert not any(each in text for each in IDS)


@pytest.mark.parametrize("page", ["reliability", "differences", "export", "crowd", "invitations"])
def test_what_names_raters_is_for_those_who_lead_only(client: Client, page: str) -> None:
    campaign = make_campaign()
    make_crowd(campaign)
    rater, adjudicator = make_user(), make_user()
    campaign.memberships.create(user=rater, role="annotator")
    campaign.memberships.create(user=adjudicator, role="adjudicator")
    for person in (rater, adjudicator):
        client.force_login(person)
        assert client.get(f"/campaigns/bridges/{page}/").status_code == 404


def test_a_platforms_id_stands_in_no_table_but_its_own() -> None:
    campaign = make_campaign()
    crowd = make_crowd(campaign)
    come(crowd, IDS[0], session=IDS[2])
    participant = participant_named(crowd, IDS[0])
    for row in (participant, participant.user):
        held = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
        assert not any(each in str(held) for each in IDS)
