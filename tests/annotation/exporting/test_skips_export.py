"""What raters could not judge, as a table; and what became of a crowd's raters, in every file."""

import csv
import io
import json
import tracemalloc
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.exporting import Export, load_format
from annotation.exporting.skips import COLUMNS
from annotation.exporting.source import pseudonym
from annotation.judging import skips
from annotation.judging.answers import submit
from annotation.models import Assignment, Campaign, Participant
from annotation.raters import participants
from pipeline.models import Passage, Revision
from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import come, make_crowd
from tests.support.factories import make_user
from tests.support.reference_answers import claim, judge_next, put_in_use, set_checks

pytestmark = pytest.mark.django_db

State = Participant.State


def text_of(campaign: Campaign, name: str = "skips") -> str:
    export = Export(campaign=campaign, format=load_format(name))
    return b"".join(export.chunks()).decode("utf-8-sig")


def rows_of(campaign: Campaign, name: str = "skips") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(campaign, name), newline="")))


def manifest_of(campaign: Campaign, name: str = "skips") -> dict[str, object]:
    export = Export(campaign=campaign, format=load_format(name))
    list(export.chunks())
    return dict(json.loads(json.dumps(export.manifest())))


def test_a_skip_is_a_row_that_says_all_about_it() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,))
    assignment = claim(anna, campaign)
    Assignment.objects.filter(pk=assignment.pk).update(
        active_ms=61_250, idle_ms=500, comment="No, really."
    )
    assignment.refresh_from_db()
    skips.skip(assignment, reason="unclear", note="=What is\na viaduct?")
    (row,) = rows_of(campaign)
    assert list(row) == list(COLUMNS)
    assignment.refresh_from_db()
    assert assignment.skipped_at is not None
    assert row == {
        "campaign": campaign.slug, "item": str(assignment.item.position),
        "passage": assignment.item.revision.passage.external_id, "side": "after",
        "phase": "production", "use": "", "rater": pseudonym(campaign, anna.pk),
        "participant": "", "reason": "unclear", "reason_text": "I do not understand the passage",
        "note": "'=What is\na viaduct?", "comment": "No, really.",
        "claimed_at": assignment.claimed_at.isoformat(timespec="seconds"),
        "skipped_at": assignment.skipped_at.isoformat(timespec="seconds"),
        "active_seconds": "61.2", "idle_seconds": "0.5",
    }  # fmt: skip
    assert "anna" not in text_of(campaign)


def test_a_rater_has_the_name_that_the_judgments_give_them() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,))
    judge_next(anna, campaign)
    skips.skip(claim(anna, campaign), reason="known")
    assert {row["rater"] for row in rows_of(campaign, "csv")} == {rows_of(campaign)[0]["rater"]}


def test_a_skip_that_was_taken_back_is_none() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,))
    assignment = claim(anna, campaign)
    skips.skip(assignment, reason="other")
    skips.take_back(assignment)
    assert rows_of(campaign) == []
    assert text_of(campaign).splitlines() == [",".join(COLUMNS)]


def test_they_stand_in_the_campaigns_order_and_whoever_came_first_is_first() -> None:
    raters = (make_user("anna"), make_user("ben"))
    campaign = make_campaign(raters=raters, passages=3, raters_per_item=2)
    for rater in raters:
        for _ in range(3):
            skips.skip(claim(rater, campaign), reason="language")
    late = Assignment.objects.filter(rater=raters[0])
    late.update(skipped_at=timezone.now() + timedelta(hours=1))
    found = [(row["item"], row["rater"]) for row in rows_of(campaign)]
    ben, anna = (pseudonym(campaign, rater.pk) for rater in reversed(raters))
    assert found == [(str(place), name) for place in (1, 2, 3) for name in (ben, anna)]
    assert text_of(campaign) == text_of(campaign)


def test_a_skipped_gold_item_says_what_it_was_for() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=3)
    put_in_use(campaign, 1, "gold")
    set_checks(campaign, gold_every=1)
    while (assignment := claim(anna, campaign)).purpose != "gold":
        skips.skip(assignment, reason="other")
    skips.skip(assignment, reason="evidence")
    uses = {row["reason"]: row["use"] for row in rows_of(campaign)}
    assert uses["evidence"] == "gold"


def test_every_manifest_counts_them_by_reason() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=4)
    for reason in ("unclear", "known", "unclear"):
        skips.skip(claim(anna, campaign), reason=reason)
    for name in ("csv", "hagrid", "skips"):
        manifest = manifest_of(campaign, name)
        expected = {"assignments": 3, "by_reason": {"known": 1, "unclear": 2}}
        assert manifest["skipped"] == expected
        assert manifest["participants"] is None
    counts = manifest_of(campaign)["counts"]
    assert isinstance(counts, dict)
    assert (counts["lines"], counts["raters"]) == (3, 1)


def test_of_many_it_takes_one_query_and_little_memory() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=1)
    claim(anna, campaign)
    run, item = campaign.runs.get(), campaign.items.get()
    passages = Passage.objects.bulk_create(
        Passage(dataset=run.dataset, external_id=f"p{n:05}", text="One.", content_hash="")
        for n in range(3000)
    )
    revisions = Revision.objects.bulk_create(
        Revision(run=run, passage=each, text="One.", original_text="One.") for each in passages
    )
    items = campaign.items.bulk_create(
        type(item)(
            campaign=campaign, revision=each, passage_id=each.passage_id, side="after",
            position=place, text="One.", sentences=item.sentences[:1], evidence=item.evidence,
        )
        for place, each in enumerate(revisions, 2)
    )  # fmt: skip
    now = timezone.now()
    Assignment.objects.bulk_create(
        Assignment(
            item=each, campaign=campaign, rater=anna, claimed_at=now, lease_until=now,
            skipped_at=now, skip_reason="other", skip_note="Why? " * 200,
        )
        for each in items
    )  # fmt: skip
    export = Export(campaign=campaign, format=load_format("skips"))
    tracemalloc.start()
    with CaptureQueriesContext(connection) as queries:
        for _ in export.chunks():
            pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(queries) == 1
    assert export.written.size > 3_000_000
    assert peak < 2_500_000


def test_the_page_offers_it_and_strangers_get_nothing(client: Client) -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,))
    skips.skip(claim(anna, campaign), reason="other")
    path = f"/campaigns/{campaign.slug}/export/"
    client.force_login(anna)
    assert client.get(f"{path}?format=skips").status_code == 404
    client.force_login(make_user("lea", role=User.Role.RESEARCHER))
    assert "?format=skips" in client.get(path).content.decode()
    answer = client.get(f"{path}?format=skips")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert b"".join(answer).count(b"\r\n") == 2


# ---- What became of a crowd's raters ------------------------------------------------------------
def take_part(campaign: Campaign, state: str, number: int) -> Participant:
    """One who judged an item, skipped one, and came to that state."""
    come(campaign.crowd, f"person-{number}")
    participant = Participant.objects.latest("pk")
    judge_next(participant.user, campaign)
    skips.skip(claim(participant.user, campaign), reason="other")
    if state != State.ACTIVE:
        participants.end(participant, state)
    return participant


def test_who_stopped_is_marked_in_every_file_and_counted_in_the_manifest() -> None:
    anna = make_user("anna")
    campaign = make_campaign(raters=(anna,), passages=8, raters_per_item=9)
    make_crowd(campaign)
    judge_next(anna, campaign)
    states = [State.ACTIVE, State.COMPLETED, State.RETURNED, State.SCREENED_OUT]
    became = {
        pseudonym(campaign, take_part(campaign, state, number).user_id): str(state)
        for number, state in enumerate(states)
    }
    for name in ("csv", "skips"):
        told = {row["rater"]: row["participant"] for row in rows_of(campaign, name)}
        assert told.pop(pseudonym(campaign, anna.pk), "") == ""
        assert told == became
    assert manifest_of(campaign)["participants"] == dict.fromkeys(map(str, states), 1)


def test_a_gold_edit_says_what_became_of_who_made_it() -> None:
    anna = make_user("anna")
    campaign = make_campaign(
        questionnaire="manual_revision", sides="before", raters=(anna,), raters_per_item=2
    )
    make_crowd(campaign)
    come(campaign.crowd, "person-1")
    participant = Participant.objects.get()
    for user in (anna, participant.user):
        assignment = claim(user, campaign)
        assignment.judgments.create(
            criterion="revision", target=0, value=1, text="Shorter.", sequence=1,
            updated_at=timezone.now(),
        )  # fmt: skip
        assert submit(assignment) == []
    participants.end(participant, State.RETURNED)
    lines = [json.loads(line) for line in text_of(campaign, "gold_edits").splitlines()]
    assert {line["rater"]: line["participant"] for line in lines} == {
        pseudonym(campaign, anna.pk): None,
        pseudonym(campaign, participant.user_id): "returned",
    }
