"""What is left of people after they were erased."""

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from annotation.exporting import Export, load_format
from annotation.items.run_groups import with_runs
from annotation.models import (
    Assignment,
    Campaign,
    CampaignInvitation,
    Judgment,
    Participant,
    Pause,
    TrainingAttempt,
)
from annotation.raters.invitations import invite, join
from rarrweb.accounts.models import ApiToken, User
from tests.support.audit import audit_lines
from tests.support.crowds import PROLIFIC, SESSION, participant_named
from tests.support.permissions import World
from tests.support.reference_answers import judge_next

pytestmark = pytest.mark.django_db
PASSWORD = "a long test password"
COMMENT = "I am Rita Reader of 5 Mill Lane."
EMAIL = "rita@example.org"


@pytest.fixture
def world() -> World:
    """In which the rater has left traces in whatever takes a free text."""
    world = World()
    rater = world.rater
    User.objects.filter(pk=rater.pk).update(first_name="Rita", last_name="Reader", email=EMAIL)
    rater.refresh_from_db()
    Assignment.objects.filter(rater=rater).update(comment=COMMENT, skip_note=COMMENT)
    link, _ = invite(world.campaign, created_by=world.owner, note="For Rita Reader")
    join(CampaignInvitation.objects.get(pk=link.pk), user=rater)
    judge_next(rater, world.campaign)
    return world


def everything() -> str:
    """Every value of every table."""
    return "\n".join(
        str(row) for model in apps.get_models() for row in model._default_manager.values()
    )


def csv_of(campaign: Campaign) -> bytes:
    with_its_runs = with_runs(Campaign.objects.all()).get(pk=campaign.pk)
    return b"".join(Export(campaign=with_its_runs, format=load_format("csv")).chunks())


def test_nothing_tells_who_an_erased_rater_was_and_no_figure_changes(world: World) -> None:
    before = csv_of(world.campaign)
    assert before.count(b"\n") > 3
    rater = world.browser_of("rater")
    assert rater.post("/account/data/", {"password": PASSWORD})["Location"] == "/log-in/"
    reported = everything()
    for trace in ("Rita", "Reader", EMAIL, "Is it?", "Mill Lane"):
        assert trace not in reported
    person = User.objects.get(pk=world.rater.pk)
    assert person.username.startswith("erased-")
    assert (person.is_active, person.has_usable_password()) == (False, False)
    assert csv_of(world.campaign) == before.replace(COMMENT.encode(), b"")
    assert rater.get("/account/").status_code == 302
    assert not world.campaign.memberships.filter(user=person).exists()


def test_on_demand_the_judgments_go_too(world: World, caplog: pytest.LogCaptureFixture) -> None:
    admin = world.browser_of("administrator")
    page = f"/people/{world.rater.pk}/data/"
    refused = admin.post(page, {"name": "somebody else", "with_judgments": "on"})
    assert "not their user name" in refused.content.decode()
    assert world.rater.assignments.exists()
    mine = {"campaign": world.campaign, "rater": world.rater}
    Pause.objects.create(**mine, since=timezone.now(), right=1, judged=9)
    TrainingAttempt.objects.create(**mine, number=9, started_at=timezone.now())
    admin.post(page, {"name": world.rater.username, "with_judgments": "on"})
    assert not world.rater.assignments.exists()
    assert not Pause.objects.filter(rater=world.rater).exists()
    assert not TrainingAttempt.objects.filter(rater=world.rater).exists()
    assert not Judgment.objects.filter(assignment__rater=world.rater).exists()
    assert Judgment.objects.exists()
    lines = [line for line in audit_lines(caplog) if f" subject=user:{world.rater.pk}" in line]
    assert [line.split()[0] for line in lines] == ["action=erased"]


def test_a_participant_is_known_to_nobody_any_more(world: World) -> None:
    participant = participant_named(world.crowd)
    admin = world.browser_of("administrator")
    admin.post(f"/people/{participant.user_id}/data/", {"name": participant.user.username})
    reported = everything()
    for trace in (PROLIFIC, SESSION, participant.id_hash):
        assert trace not in reported
    assert Participant.objects.get(pk=participant.pk).state == Participant.State.RETURNED


def test_a_researchers_tokens_end_and_the_labs_rows_stay(world: World) -> None:
    owner = world.browser_of("owner")
    owner.post("/account/data/", {"password": PASSWORD})
    assert not ApiToken.objects.filter(user=world.owner).exists()
    assert Campaign.objects.filter(pk=world.campaign.pk).exists()
    assert "username': 'owner'" not in everything()


def test_the_last_administrator_stays(client: Client, administrator: User) -> None:
    client.force_login(administrator)
    page = client.post("/account/data/", {"password": PASSWORD}).content.decode()
    assert "ada is the last administrator" in page
    assert User.objects.get(pk=administrator.pk).username == "ada"


def test_a_wrong_password_erases_nothing_and_counts(
    client: Client, annotator: User, caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(annotator)
    for _ in range(9):
        page = client.post("/account/data/", {"password": "wrong"})
        assert "Wrong password" in page.content.decode()
    assert client.post("/account/data/", {"password": "wrong"}).status_code == 429
    assert client.post("/account/data/", {"password": PASSWORD}).status_code == 429
    assert User.objects.get(pk=annotator.pk).is_active
    failed = f"action=log-in-failed actor={annotator.pk} subject=user:{annotator.pk}"
    assert audit_lines(caplog) == [failed] * 11
