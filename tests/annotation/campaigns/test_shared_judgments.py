"""Items of a passage with the same content are judged once, for all of their systems."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.campaigns.progress import phases_of
from annotation.exporting import offers_for
from annotation.items.ordering import block_size
from annotation.items.selection import preview_draft
from annotation.judging.answers import AnswerUpdate, save_judgments
from annotation.judging.claims import claim_next
from annotation.judging.imports import import_judgments
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.quality_control.reference_answers import Right, use_item
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures
from annotation.results.reliability import campaign_reliability, rater_reports
from annotation.results.revision_votes import revision_votes
from pipeline.models import Run
from tests.support.campaigns import (
    REPORT,
    REVISED,
    TEXT,
    hand_in,
    make_campaign,
    make_judgeable_run,
)
from tests.support.exports import (
    adjudicate,
    bytes_of,
    lines_of,
    manifest_of,
    rows_of,
    text_of,
)
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.pages import page_of

pytestmark = pytest.mark.django_db

SHORT = "The bridge opened in 1932. Nobody painted it."
SYSTEMS = {
    "efec": (TEXT, TEXT, TEXT, TEXT),
    "lamda": (TEXT, TEXT, SHORT, REVISED),
    "rarr": (REVISED, TEXT, REVISED, REVISED),
}
"""What each system made of four passages with the same evidence."""
ITEMS = {"after": 12, "both": 24, "pair": 12}
DISTINCT = 8
"""The different texts, of which four are the passages, as efec changed nothing."""


def three_systems() -> list[Run]:
    first = make_run(system="efec", state=Run.State.FINISHED)
    passages = [make_passage(first.dataset, text=TEXT, context="Which bridge?") for _ in range(4)]
    runs = [first]
    runs += [
        make_run(system=name, dataset=first.dataset, state=Run.State.FINISHED)
        for name in ("lamda", "rarr")
    ]
    for run in runs:
        for passage, text in zip(passages, SYSTEMS[run.system], strict=True):
            make_revision(run, passage=passage, state="done", text=text, result=REPORT)
    return runs


def judged(questionnaire: str = "attribution", sides: str = "after", **chosen: Any) -> Campaign:
    raters = make_user(), make_user()
    campaign = make_campaign(
        runs=three_systems(),
        questionnaire=questionnaire,
        sides=sides,
        raters_per_item=2,
        raters=raters,
        **chosen,
    )
    for number, rater in enumerate(raters):
        while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
            answer(claimed, shift=claimed.item.position * (number + 1))
    return campaign


def answer(assignment: Assignment, *, shift: int) -> None:
    item = assignment.item
    values = {
        (criterion.name, target): criterion.levels[(shift + target) % len(criterion.levels)].value
        for criterion in questionnaire_of(item.campaign).criteria
        for target in criterion.required_targets(item)
    }
    hand_in(assignment, values)


def judged_one_by_one(campaign: Campaign) -> Campaign:
    """Copy the campaign with answers of its own for each item, the same as the shared ones."""
    copy = Campaign.objects.get(pk=campaign.pk)
    copy.pk, copy.slug, copy.shared_count = None, f"copy-{Campaign.objects.count()}", 0
    copy.save()
    copy.runs.set(campaign.runs.all())
    for item in campaign.items.order_by("position"):
        first = Item.objects.get(pk=item.shared_with_id or item.pk)
        item.pk, item.campaign, item.shared_with, item.wanted = None, copy, None, 2
        item.save()
        for assignment in first.assignments.all():
            judgments = list(assignment.judgments.all())
            assignment.pk, assignment.item, assignment.campaign = None, item, copy
            assignment.save()
            for judgment in judgments:
                judgment.pk, judgment.assignment = None, assignment
            Judgment.objects.bulk_create(judgments)
        for row in first.adjudications.all():
            row.pk, row.item = None, item
            row.save()
    return copy


def results_of(campaign: Campaign) -> Any:
    return campaign_figures(campaign) or campaign_result(campaign)


def by_system(campaign: Campaign) -> dict[str, float]:
    systems = campaign_result(campaign).tables["system"]
    return {each.group.label: each.sides[-1].attribution.value for each in systems if each.group}


# ---- What is judged ---------------------------------------------------------------------------
@pytest.mark.parametrize(("sides", "total"), ITEMS.items())
def test_items_with_the_same_content_are_judged_once(sides: str, total: int) -> None:
    kind = "intent" if sides == "pair" else "attribution"
    campaign = judged(kind, sides)
    items = campaign.items.order_by("position")
    assert (campaign.item_count, campaign.shared_count) == (DISTINCT, total - DISTINCT)
    # Those that are judged come first, without gaps.
    assert [each.shared_with is None for each in items] == [
        number < DISTINCT for number in range(total)
    ]
    for item in items[DISTINCT:]:
        first = item.shared_with
        assert (first.passage, first.shared_with) == (item.passage, None)
        same = ("text", "context", "sentences", "evidence", "citations", "second_text")
        assert all(getattr(item, name) == getattr(first, name) for name in same)
        assert (item.wanted, item.assignments.count()) == (0, 0)
    contents = {(each.passage_id, each.text, each.second_text) for each in items[:DISTINCT]}
    assert len(contents) == DISTINCT
    assert Assignment.objects.filter(campaign=campaign).count() == 2 * DISTINCT
    [phase] = phases_of([campaign])[campaign.pk]
    assert (phase.items, phase.wanted, phase.done, phase.complete) == (
        DISTINCT,
        *[2 * DISTINCT] * 2,
        DISTINCT,
    )
    links = campaign.run_links.values_list("item_count", "passage_count")
    assert [*links] == [(total // 3, 4)] * 3


def test_other_evidence_and_other_passages_are_not_shared() -> None:
    runs = three_systems()
    evidence = [{**REPORT["report"]["evidence"][0], "text": "Another source."}]
    runs[1].revisions.update(result={"report": {"evidence": evidence}})
    campaign = make_campaign(runs=runs)
    assert campaign.shared_count == 1  # the second passage, by efec and rarr
    assert make_campaign(runs=[make_judgeable_run(passages=4)], name="B").shared_count == 0


def test_the_items_of_a_passage_stay_apart_and_in_its_phase() -> None:
    first = make_run(system="efec", state=Run.State.FINISHED)
    second = make_run(system="rarr", dataset=first.dataset, state=Run.State.FINISHED)
    for number in range(40):
        passage = make_passage(first.dataset, text=TEXT)
        for run, text in ((first, TEXT), (second, REVISED if number % 4 else TEXT)):
            make_revision(run, passage=passage, state="done", text=text, result=REPORT)
    campaign = make_campaign(runs=[first, second], pilot_size=8, seed="s")
    assert (campaign.item_count, campaign.items_per_passage) == (70, 2)
    assert set(campaign.items.exclude(shared_with=None).values_list("wanted")) == {(0,)}
    judged_items = campaign.items.filter(shared_with=None).order_by("position")
    phases = [each.phase for each in judged_items]
    pilot = phases.count("pilot")
    assert phases == ["pilot"] * pilot + ["production"] * (70 - pilot)
    assert campaign.items.filter(phase="pilot").count() == 16
    at: dict[int, list[int]] = {}
    for item in judged_items.filter(phase="production"):
        at.setdefault(item.passage_id, []).append(item.position)
    gaps = [places[1] - places[0] for places in at.values() if len(places) == 2]
    assert min(gaps) > 12  # of 32 passages
    campaign.state = Campaign.State.PRODUCTION
    assert block_size(campaign) == 70 // 16


def test_raters_of_single_passages_need_as_many_as_there_are_contents() -> None:
    campaign = make_campaign(runs=three_systems(), may_repeat_passages=False)
    assert (campaign.items_per_passage, campaign.raters_needed) == (3, 3)
    unchanged = make_campaign(
        runs=three_systems()[:1], sides="both", may_repeat_passages=False, name="B"
    )
    assert (unchanged.items_per_passage, unchanged.raters_needed) == (1, 1)


def test_a_sample_keeps_the_chances_of_each_run() -> None:
    campaign = make_campaign(runs=three_systems(), sample_size=3, seed="s")
    assert campaign.items.count() == 9
    assert set(campaign.items.values_list("inclusion", flat=True)) == {0.75}
    assert campaign.shared_count > 0


@pytest.mark.parametrize("sides", ["after", "both"])
def test_the_form_reports_how_much_work_it_saves(as_researcher: Client, sides: str) -> None:
    runs = three_systems()
    query = {"run": [run.pk for run in runs], "questionnaire": "attribution", "sides": sides}
    page = as_researcher.get("/campaigns/new/preview/", query).content.decode()
    words = " ".join(page.split())
    total = ITEMS[sides]
    shared = total - DISTINCT
    assert f"<dt>Attribution</dt><dd> {total - shared} items" in words
    assert f"{shared} more share their answers" in words
    assert "for each of three raters" in words
    campaign = make_campaign(runs=runs, sides=sides)
    preview = preview_draft(campaign)
    assert (preview.judged, preview.shared) == (campaign.item_count, campaign.shared_count)


# ---- Figures ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("questionnaire", "sides"),
    [
        ("attribution", "after"),
        ("attribution", "both"),
        ("answer_quality", "after"),
        ("intent", "pair"),
        ("manual_revision", "before"),
    ],
)
def test_figures_are_those_of_items_judged_one_by_one(questionnaire: str, sides: str) -> None:
    campaign = judged(questionnaire, sides)
    assert campaign.shared_count
    first = campaign.items.filter(sharing__isnull=False).first()
    assert first is not None
    criterion = questionnaire_of(campaign).criteria[0]
    before = results_of(campaign)
    assert before == results_of(judged_one_by_one(campaign))
    if not criterion.is_text:
        adjudicate(first, 0, criterion.levels[0].value, criterion.name)
        assert results_of(campaign) == results_of(judged_one_by_one(campaign))


def test_votes_about_a_run_alone_include_the_shared_ones() -> None:
    campaign = judged()
    *_, last = campaign.runs.order_by("pk")
    votes = revision_votes([last]).sentences
    assert set(votes) == set(last.revisions.values_list("pk", flat=True))


def shared_by_all(campaign: Campaign) -> Item:
    """The item of the passage that no system changed."""
    counts = Counter(campaign.items.exclude(shared_with=None).values_list("shared_with", flat=True))
    return campaign.items.get(pk=counts.most_common(1)[0][0])


def test_a_correction_and_an_adjudication_change_the_figures_of_every_system() -> None:
    campaign = judged()
    item = shared_by_all(campaign)
    before = by_system(campaign)
    for assignment in item.assignments.all():
        flipped = [
            AnswerUpdate(
                criterion=each.criterion, target=each.target, value=0, sequence=each.sequence + 1
            )
            for each in assignment.judgments.filter(criterion="attributable")
        ]
        save_judgments(assignment, flipped)
        assignment.refresh_from_db()
        assert None not in {assignment.submitted_at, assignment.edited_at}
    corrected = by_system(campaign)
    assert all(corrected[system] < before[system] for system in SYSTEMS)
    for target in range(len(item.sentences)):
        adjudicate(item, target, 1)
    adjudicated = by_system(campaign)
    assert all(adjudicated[system] > before[system] for system in SYSTEMS)
    Adjudication.objects.filter(item=item).delete()
    assert by_system(campaign) == corrected


def test_reliability_and_reports_count_a_shared_judgment_once() -> None:
    campaign = judged(sides="both")
    [attributable, *_] = campaign_reliability(campaign).criteria
    targets = {
        (each.side, each.runs.label if each.runs else ""): each.report.raw.targets
        for each in attributable.groups
    }
    sentences = {text: len(text.split(". ")) for text in (TEXT, REVISED, SHORT)}
    # Four originals; one passage became two texts, two became one.
    assert (
        targets["", ""]
        == 4 * 3 + sentences[REVISED] * 3 + sentences[SHORT]
        == campaign_targets(campaign)
    )
    assert targets["before", ""] == 12
    assert targets["after", ""] == campaign_targets(campaign)  # efec changed nothing
    assert targets["", "efec"] == 12
    assert targets["", "rarr"] == 12 + 3 * 3  # each original, and what it changed
    reports = rater_reports(campaign).values()
    assert [each.submitted for each in reports] == [campaign.item_count] * 2


def campaign_targets(campaign: Campaign) -> int:
    return sum(len(each.sentences) for each in campaign.items.filter(shared_with=None))


# ---- Files and pages --------------------------------------------------------------------------
def test_exports_have_every_item_and_count_judgments_once() -> None:
    campaign = judged()
    rows = rows_of(campaign)
    items = {each.position: each for each in campaign.items.select_related("shared_with")}
    assert {int(row["item"]) for row in rows} == set(items)
    for row in rows:
        first = items[int(row["item"])].shared_with
        assert row["shared_with"] == (str(first.position) if first else "")
    cells = ("criterion", "target_index", "rater", "value", "submitted_at")
    for position, item in items.items():
        cells_of_item, cells_of_judged = (
            [[row[name] for name in cells] for row in rows if int(row["item"]) == at]
            for at in (position, (item.shared_with or item).position)
        )
        assert cells_of_item == cells_of_judged
    manifest = manifest_of(campaign)
    counts = manifest["counts"]
    given = Judgment.objects.filter(assignment__campaign=campaign, value__isnull=False)
    assert (counts["items"], counts["assignments"]) == (12, 16)
    assert counts["judgments"] == given.count() < len(rows)
    assert (manifest["campaign"]["items"], manifest["campaign"]["shared_items"]) == (12, 4)
    apart = judged_one_by_one(campaign)
    labels = [
        [replace_none(each["answers"]) for each in lines_of(one)] for one in (campaign, apart)
    ]
    assert labels[0] == labels[1]
    assert len(labels[0]) == 4


def test_a_line_of_hagrid_has_the_unrevised_answer_once() -> None:
    campaign = judged(sides="both")
    for line in lines_of(campaign):
        assert line["sides"] == ["before", "after", "after", "after"]
        assert line["systems"] == ["efec", "efec", "lamda", "rarr"]
        assert len(line["runs"]) == len(line["answers"]) == 4
    counts = manifest_of(campaign, "hagrid")["counts"]
    assert (counts["lines"], counts["passages"], counts["items"]) == (4, 4, 16)
    given = Judgment.objects.filter(assignment__campaign=campaign, value__isnull=False)
    assert counts["judgments"] == given.count()
    shared = Item.objects.filter(campaign=campaign, sharing__isnull=False)[0]
    adjudicate(shared, 0, 1)
    Judgment.objects.filter(assignment__item=shared, assignment__slot=2).update(value=None)
    assert offers_for(campaign)[1].rows == manifest_of(campaign)["counts"]["lines"]
    other = Item.objects.filter(campaign=campaign, side="before").order_by("-revision")[0]
    # As if this run had found other sources.
    other.shared_with, other.wanted, other.evidence = None, 1, other.evidence[:1]
    other.save()
    sides = [line["sides"] for line in lines_of(campaign)]
    assert sides[-1] == ["before", "after", "after", "before", "after"]
    assert sides[:-1] == [["before", "after", "after", "after"]] * 3


def replace_none(answers: list[dict[str, Any]]) -> list[Any]:
    return [[each["text"], each["attributable"]] for one in answers for each in one["sentences"]]


def test_gold_edits_mark_shared_revisions() -> None:
    campaign = judged("manual_revision", "before")
    lines = lines_of(campaign, "gold_edits")
    assert len(lines) == 2 * campaign.items.count() == 24
    assert sum(line["shared_with"] is not None for line in lines) == 2 * campaign.shared_count == 16


def test_a_shared_item_as_gold_leaves_results_and_files_with_its_group() -> None:
    campaign = make_campaign(runs=three_systems(), raters_per_item=1)
    item = shared_by_all(campaign)
    use_item(
        item, use="gold", answers={("attributable", 0): Right(value=1)}, by=campaign.created_by
    )
    campaign.refresh_from_db()
    assert [len(line["answers"]) for line in lines_of(campaign)] == [3, 3, 3]


def test_pages_list_what_raters_judge(as_researcher: Client) -> None:
    campaign = judged()
    page = page_of(as_researcher, campaign, "items/")
    assert (
        page.count("with the same content")
        == campaign.items.filter(sharing__isnull=False).distinct().count()
    )
    assert f'All\n      <span class="num">{campaign.item_count}</span>' in page
    complete = page_of(as_researcher, campaign, "items/?state=complete")
    assert complete.count('data-label="Number"') == campaign.item_count
    follower = campaign.items.exclude(shared_with=None)[0]
    assert as_researcher.get(f"/adjudicate/{follower.pk}/").status_code == 404
    assert "with the same content" in page_of(as_researcher, campaign, "settings/")
    rows = as_researcher.get(f"/api/campaigns/{campaign.slug}/items/").json()["results"]
    assert sum(row["shared_with"] is not None for row in rows) == campaign.shared_count == 4


def test_an_export_with_shared_answers_can_be_imported(tmp_path: Path) -> None:
    campaign = judged()
    again = make_campaign(runs=list(campaign.runs.all()), raters_per_item=2, name="Again")
    path = tmp_path / "study.csv"
    path.write_bytes(bytes_of(campaign, "csv"))
    import_judgments(again, path, by=None)
    assert (
        again.items.filter(done=2).count()
        == Assignment.objects.filter(campaign=again).count() / 2
        == DISTINCT
    )
    assert campaign_result(again) == campaign_result(campaign)
    # Another answer of the rater about the same content.
    rows = text_of(campaign, "csv").splitlines()
    columns = rows[0].split(",")
    [line] = [row for row in rows if row.rsplit(",", 1)[1].isdecimal()][:1]
    cells = line.split(",")
    value = columns.index("value")
    cells[value] = str(1 - int(cells[value]))
    path.write_text("\r\n".join([",".join(cells) if row == line else row for row in rows]))
    third = make_campaign(runs=list(campaign.runs.all()), raters_per_item=2, name="Third")
    [error] = import_judgments(third, path, by=None).errors
    assert "answers the same for this rater" in str(error)
    assert not Assignment.objects.filter(campaign=third).exists()


# ---- In succession ----------------------------------------------------------------------------
def test_the_pair_follows_whichever_system_shares_the_judgment(as_researcher: Client) -> None:
    rater = make_user()
    runs = three_systems()
    data = {"name": "Bridges", "run": [run.pk for run in runs], "sides": "after"}
    data |= {"raters_per_item": 1, "questionnaire": ["attribution", "intent"]}
    data |= {"person": [rater.pk], "may_repeat_passages": "on"}
    assert as_researcher.post("/campaigns/new/", data).status_code == 302
    first, second = Campaign.objects.order_by("pk")
    assert (first.item_count, second.item_count) == (8, 8)
    kinds = []
    while isinstance(claimed := claim_next(rater), Assignment):
        answer(claimed, shift=claimed.item.position)
        kinds.append((claimed.campaign, claimed.item.passage_id))
    assert [campaign for campaign, _ in kinds] == [first, second] * 8
    assert [passage for _, passage in kinds[::2]] == [passage for _, passage in kinds[1::2]]
