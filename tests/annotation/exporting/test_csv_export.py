"""A campaign's judgments as a table."""

import pytest
from pytest_django import Settings

from annotation.exporting.judgments_csv import COLUMNS
from annotation.models import Assignment
from tests.support.exports import NOW, bytes_of, judge, make_campaign, make_item, rows_of
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db


def test_a_judgment_is_a_row_that_reports_all_about_it() -> None:
    campaign = make_campaign()
    item = make_item(campaign, "One.", "Two.")
    judge(item, make_user(), True, False, useful=(None, True), comment="unsure, “really”")
    assert bytes_of(campaign, "csv").startswith(b"\xef\xbb\xbfcampaign,item,")
    rows = rows_of(campaign)
    assert list(rows[0]) == list(COLUMNS)
    whole = dict.fromkeys(COLUMNS, "") | {"rater": rows[0]["rater"], "slot": "1", "late": "0"}
    whole |= {"campaign": "rivers", "item": "1", "passage": item.revision.passage.external_id}
    whole |= {"submitted_at": "2026-05-04T12:30:00+00:00", "comment": "unsure, “really”"}
    whole |= {"dataset": item.revision.run.dataset.slug, "run": str(item.revision.run_id)}
    whole |= {"side": "after", "phase": "production", "weight": "1.0", "system": "rarr"}
    names = ("criterion", "target_kind", "target_index", "target_text", "value")
    assert rows == [
        whole | dict(zip(names, values, strict=True))
        for values in (
            ("attributable", "sentence", "0", "One.", "1"),
            ("attributable", "sentence", "1", "Two.", "0"),
            ("useful", "evidence", "1", "A sea between two islands.", "1"),
        )
    ]


TIMED = ("active_seconds", "idle_seconds")


def test_what_was_timed_reports_it_on_each_of_its_rows_and_what_was_not_is_empty() -> None:
    campaign = make_campaign()
    done = judge(make_item(campaign, "One."), make_user(), True, False)
    Assignment.objects.filter(pk=done.pk).update(
        active_ms=61_250, idle_ms=4_000, clicks=3, keys=0, edited_at=NOW
    )
    judge(make_item(campaign, "Two."), make_user(), True)
    names = (*TIMED, "clicks", "keys", "edited_at")
    timed = ("61.2", "4.0", "3", "0", "2026-05-04T12:30:00+00:00")
    reported = [tuple(row[name] for name in names) for row in rows_of(campaign)]
    assert reported == [timed, timed, ("",) * 5]


def test_late_work_and_a_lone_comment_have_rows_and_drafts_have_none() -> None:
    campaign = make_campaign()
    judge(make_item(campaign, "One."), make_user(), True, slot=None)
    judge(make_item(campaign), make_user(), comment="The page did not load.")
    judge(make_item(campaign), make_user(), True, submitted=False, comment="not yet")
    late, row = rows_of(campaign)
    assert (late["slot"], late["late"]) == ("", "1")
    assert (row["comment"], row["criterion"], row["value"]) == ("The page did not load.", "", "")


def test_a_rater_has_one_name_in_a_campaign_and_another_in_the_next_or_by_another_key(
    settings: Settings,
) -> None:
    rater, other = make_user("anna-with-a-name"), make_user()
    names: list[list[str]] = []
    for slug in ("first", "second"):
        campaign = make_campaign(slug=slug)
        judge(make_item(campaign, "One."), rater, True)
        judge(make_item(campaign, "Two."), rater, True)
        judge(make_item(campaign, "Three."), other, True)
        assert b"anna" not in bytes_of(campaign, "csv")
        names.append([row["rater"] for row in rows_of(campaign)])
    first, second = names
    assert first[0] == first[1] != first[2]
    assert not set(first) & set(second)
    settings.SECRET_KEY = "another key"
    assert not set(second) & {row["rater"] for row in rows_of(campaign)}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝"])
def test_a_cell_that_a_spreadsheet_would_run_is_neutralised(start: str) -> None:
    campaign = make_campaign()
    hostile = f'{start}HYPERLINK("https://example.org","x"),;\n"'
    judge(make_item(campaign, f"{start}cmd"), make_user(), True, comment=hostile)
    (row,) = rows_of(campaign)
    assert row["comment"] == f"'{hostile}"
    assert row["target_text"] == f"'{start}cmd"
