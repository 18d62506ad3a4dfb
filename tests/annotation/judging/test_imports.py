"""Judgments of a published study count as those of raters."""

import csv
import json
import random
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django.asserts import assertContains, assertRedirects

from annotation.campaigns.lifecycle import close_campaign, delete_campaign
from annotation.exporting import FORMATS, load_format
from annotation.judging.answers import Comment, save_judgments
from annotation.judging.claims import claim_next
from annotation.judging.imports import check_judgments, import_judgments
from annotation.models import Assignment, Campaign, Judgment
from annotation.quality_control.reference_answers import answers_of
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures
from annotation.results.reliability import campaign_reliability
from rarrweb.accounts.models import User
from tests.support.api import api_client
from tests.support.campaigns import hand_in, make_campaign, make_judgeable_run
from tests.support.exports import adjudicate, bytes_of, lines_of, rows_of, text_of
from tests.support.factories import make_user
from tests.support.kinds import make_citing_run
from tests.support.reference_answers import put_in_use

pytestmark = pytest.mark.django_db

KINDS = ("attribution", "intent", "answer_quality", "citation", "manual_revision")
OURS = ("campaign", "item", "rater", "submitted_at", "raters")
"""Columns that differ: the campaign's, and raters' names and times."""


def study(kind: str) -> Campaign:
    """Three raters judge at random, and an adjudicator decides one answer."""
    run = make_judgeable_run(passages=3) if kind in {"intent", "manual_revision"} else None
    raters = tuple(make_user() for _ in range(3))
    campaign = make_campaign(
        run=run or make_citing_run(),
        questionnaire=kind,
        sides={"intent": "pair", "manual_revision": "before"}.get(kind, "both"),
        raters_per_item=3,
        raters=raters,
    )
    chance = random.Random(5)
    questionnaire = questionnaire_of(campaign)
    for rater in raters:
        while isinstance(claimed := claim_next(rater, campaign=campaign), Assignment):
            values = {
                (criterion.name, target): chance.choice(criterion.levels).value
                for criterion in questionnaire.criteria
                for target in criterion.displayed_targets(claimed.item)
            }
            save_judgments(claimed, [], comment=Comment(text="- a remark", sequence=1))
            hand_in(claimed, values, text="=Revised by hand.")
    if kind != "manual_revision":
        item = campaign.items.earliest("revision", "side")
        criterion = questionnaire.criteria[0]
        adjudicate(item, 0, criterion.levels[0].value, criterion.name)
    return campaign


def again(campaign: Campaign, **values: Any) -> Campaign:
    """An empty campaign over the same passages, in another order."""
    chosen = {"sides": campaign.sides, "questionnaire": campaign.questionnaire, **values}
    chosen.setdefault("raters_per_item", 3)
    return make_campaign(name="Published", runs=list(campaign.runs.all()), **chosen)


def agreement(campaign: Campaign) -> Any:
    """Reliability, and each pair's kappa without the raters' ids."""
    return [
        (each.groups, sorted(repr(replace(pair, one=0, other=0)) for pair in each.pairs))
        for each in campaign_reliability(campaign).criteria
    ]


def files_of(campaign: Campaign) -> dict[str, Any]:
    """Every export without `OURS`. The texts of a pair are in an order of their own."""
    without = {*OURS, "target_text"} if campaign.questionnaire == "intent" else {*OURS}
    files: dict[str, Any] = {}
    for name in FORMATS:
        kinds = load_format(name).kinds
        if kinds and campaign.questionnaire not in kinds:
            continue
        if name == "alce":
            files[name] = text_of(campaign, name).replace(campaign.slug, "SLUG")
        elif name in {"csv", "hagrid", "gold_edits"}:
            options = {"labels": "all"} if name == "hagrid" else {}
            rows = rows_of(campaign) if name == "csv" else lines_of(campaign, name, **options)
            files[name] = sorted(
                repr({key: value for key, value in row.items() if key not in without})
                for row in rows
            )
    return files


@pytest.mark.parametrize("kind", KINDS)
def test_a_published_study_counts_as_if_judged_here(kind: str, tmp_path: Path) -> None:
    judged = study(kind)
    published = again(judged)
    path = tmp_path / "study.csv"
    path.write_bytes(bytes_of(judged, "csv"))
    file = import_judgments(published, path, by=None)
    assert not file.incomplete
    assert agreement(published) == agreement(judged)
    figures = campaign_figures if questionnaire_of(judged).figures else campaign_result
    assert figures(published, "") == figures(judged, "")
    files = files_of(published)
    assert files == files_of(judged)
    assert "csv" in files
    before = list(Judgment.objects.values_list())
    assert "known before" in str(import_judgments(published, path, by=None))
    assert list(Judgment.objects.values_list()) == before


def write(folder: Path, *rows: dict[str, Any], name: str = "study.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(key for row in rows for key in row)))
        table.writeheader()
        table.writerows(rows)
    return path


def answers(rater: str, *values: object, item: int = 1) -> list[dict[str, Any]]:
    return [
        {"item": item, "sentence": number, "rater": rater, "value": value}
        for number, value in enumerate(values, start=1)
    ]


def stored(campaign: Campaign) -> list[tuple[str, int, int | None, bool]]:
    """Rater, sentence, value and whether it counts."""
    counting = set(Judgment.objects.valid().values_list("pk", flat=True))
    rows = Judgment.objects.in_campaign(campaign).order_by("assignment__rater", "target")
    return [
        (row.assignment.rater.username, row.target, row.value, row.pk in counting) for row in rows
    ]


def test_missing_answers_keep_an_item_open_until_a_file_has_them(tmp_path: Path) -> None:
    campaign = make_campaign(raters_per_item=2)
    rows = [*answers("A", 1, 0), *answers("B", "yes", "No", "fully attributable")]
    path = write(tmp_path, *rows, {**rows[0], "sentence": 3, "value": ""})
    file = import_judgments(campaign, path, by=None)
    assert str(file) == ("answers: 5, raters: 2, items not submitted, as answers are missing: 1")
    open_ = [("A@bridges", 0, 1, False), ("A@bridges", 1, 0, False)]
    done = [("B@bridges", 0, 1, True), ("B@bridges", 1, 0, True), ("B@bridges", 2, 1, True)]
    assert stored(campaign) == [*open_, *done]
    assert not Assignment.objects.get(rater__username="A@bridges").is_held
    import_judgments(campaign, write(tmp_path, *answers("A", 1, 0, 0)), by=None)
    whole = [("A@bridges", 0, 1, True), ("A@bridges", 1, 0, True), ("A@bridges", 2, 0, True)]
    assert stored(campaign) == [*whole, *done]


def test_passages_and_sentences_are_named_by_their_text(tmp_path: Path) -> None:
    campaign = make_campaign(passages=1)
    item = campaign.items.get()
    sentences = [item.text[each["start"] : each["end"]] for each in item.sentences]
    path = tmp_path / "study.jsonl"
    lines = [
        {"answer": {"text": item.text}, "claim": text, "who": 7, "label": label, "extra": 1}
        for text, label in zip(sentences, (True, 0, "not attributable"), strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    columns = {"passage": "answer.text", "sentence": "claim", "rater": "who", "text": ""}
    file = import_judgments(campaign, path, columns=columns, by=None)
    assert [row[:3] for row in stored(campaign)] == [
        ("7@bridges", 0, 1),
        ("7@bridges", 1, 0),
        ("7@bridges", 2, 0),
    ]
    assert "extra" in file.unused


ROW = {"passage": "", "item": 1, "sentence": 1, "rater": "A", "value": 1}
WRONG = {
    "line 2, field item: the campaign has no such item (found 9)": [{"item": 9}],
    "line 2, field passage: the row names no passage": [{"item": ""}],
    "line 2, field passage: the campaign has no such item (found p-0)": [{"passage": "p-0"}],
    "line 2, field sentence: the item has no such sentence (found 4); write its number, from 1 to "
    "3, or its exact text.": [{"sentence": 4}],
    "line 2, field sentence: the item has no such sentence (found Not there.)": [
        {"sentence": "Not there."}
    ],
    "line 2, field value: attributable has no such level (found 7); write one of 0 (not "
    "attributable), 1 (fully attributable).": [{"value": 7}],
    "line 2, field criterion: the questionnaire has no such criterion (found nice); write one of "
    "attributable, useful.": [{"criterion": "nice"}],
    "line 3, field rater: line 2 answers the same for this rater (found A); keep one of the two.": [
        {},
        {"value": 0},
    ],
    "line 2, field rater: somebody with an account here has this name (found anna)": [
        {"rater": "anna"}
    ],
    "line 3, field rater: the rater A has almost the same name (found a)": [{}, {"rater": "a"}],
    "line 2: item 2 needs 1 more rater, the file has 2; make a campaign with 2 raters per item.": [
        {"item": 2, "sentence": number, "rater": rater} for rater in "AB" for number in (1, 2, 3)
    ],
    "line 2: item 3 is a gold item; return it to raters, then import.": [
        {"item": 3, "sentence": number} for number in (1, 2, 3)
    ],
    "line 2, field value: an earlier import has 0 here (found 1)": [{"rater": "Z", "item": 2}],
}


@pytest.mark.parametrize(("problem", "rows"), WRONG.items())
def test_a_wrong_row_is_named_and_nothing_is_written(
    problem: str, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    make_user("anna")
    campaign = make_campaign(passages=3)
    put_in_use(campaign, 3, "gold")
    import_judgments(campaign, write(tmp_path, *answers("Z", 0, item=2)), by=None)
    accounts, before = User.objects.count(), stored(campaign)
    path = write(tmp_path, *answers("Right", 1, 1, 1), *({**ROW, **row} for row in rows))
    # The right rows come first, so all lines are three later.
    expected = problem.replace("line 3", "line 6").replace("line 2", "line 5")
    file = import_judgments(campaign, path, by=None)
    assert any(str(each).startswith(f"study.csv, {expected}") for each in file.errors)
    assert (User.objects.count(), stored(campaign)) == (accounts, before)


def table(folder: Path, columns: str, *rows: str, campaign: Campaign) -> Path:
    """A CSV in which `P` is the first passage's id."""
    passage = campaign.items.earliest("position").passage.external_id
    path = folder / "study.csv"
    path.write_text("\n".join([columns, *(row.replace("P", passage) for row in rows)]) + "\n")
    return path


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        ("claim_id,sentence,worker,value", ["P,1,A,Supported", "P,2,A,Not supported"]),
        ("id,sentence,completed_by,label", ["P,1,A,yes", "P,2,A,no"]),
        ("example_id,sentence,rater_id,attributable", ["P,1,A,Yes", "P,2,A,No"]),
        ("nr,id,text,sentence,rater,value", ["7,P,Some text.,1,A,1", "8,P,Some text.,2,A,0"]),
    ],
)
def test_other_names_and_words_are_read(columns: str, rows: list[str], tmp_path: Path) -> None:
    campaign = make_campaign()
    import_judgments(campaign, table(tmp_path, columns, *rows, campaign=campaign), by=None)
    assert [row[:3] for row in stored(campaign)] == [("A@bridges", 0, 1), ("A@bridges", 1, 0)]


def test_each_criterion_can_have_a_column(tmp_path: Path) -> None:
    campaign = make_campaign(options=["two_stages"])
    rows = ["P,1,A,yes,no", "P,2,A,nice,no"]
    path = table(tmp_path, "id,sentence,rater,Interpretable,attributable", *rows, campaign=campaign)
    file = check_judgments(campaign, path)
    assert file.counts == [("A", "attributable", 2), ("A", "interpretable", 1)]
    assert not file.unused
    assert ["line 3, field Interpretable" in str(each) for each in file.errors] == [True]


@pytest.mark.parametrize(
    ("columns", "rows", "error"),
    [
        (
            "study_no,who,verdict",
            ["x1,A,yes", "x2,A,no"],
            "no column is known to hold the passage (the columns are study_no, who, verdict); "
            "choose it; this is a guess: --map passage=COLUMN.",
        ),
        (
            "claim_id,sentence,worker,verdict",
            ["P,1,A,yes", "P,2,A,no"],
            "no column is known to hold the value (the columns are claim_id, sentence, worker, "
            "verdict); choose it; this is a guess: --map value=COLUMN --map passage=claim_id --map "
            "sentence=sentence --map rater=worker.",
        ),
        (
            "id,sentence,ann,bob",
            ["P,1,yes,no", "P,2,no,no"],
            "no column is known to hold the value (the columns are id, sentence, ann, bob); if "
            "each rater has a column, write a row for each answer; else choose it; this is a "
            "guess: --map value=COLUMN --map passage=id --map sentence=sentence.",
        ),
        (
            "id,sentence,who,value",
            ["P,1,A,1", "P,1,B,1"],
            "no column is known to hold the rater (the columns are id, sentence, who, value); "
            "choose it; this is a guess: --map rater=COLUMN --map passage=id --map "
            "sentence=sentence --map value=value.",
        ),
        (
            "P,1,1",
            ["P,2,1"],
            "the first line seems to be data, and not the names of columns; write a first line "
            "such as id,text, or choose that the first row is data (--no-header).",
        ),
        ("id,rater,value", ["P,A,"], "no row has an answer; choose the column of the answers"),
    ],
)
def test_a_missing_column_is_one_error_and_nothing_is_written(
    columns: str, rows: list[str], error: str, tmp_path: Path
) -> None:
    campaign = make_campaign()
    path = table(tmp_path, columns, *rows, campaign=campaign)
    [fault] = import_judgments(campaign, path, by=None, skip_invalid=True).errors
    assert fault.in_command.startswith(f"study.csv: {error}")
    assert "--" not in str(fault), "pages have no options"
    assert not Assignment.objects.exists()
    assert not User.objects.filter(is_imported=True).exists()


def test_a_written_answer_is_read_from_text_only_where_one_is_asked(tmp_path: Path) -> None:
    campaign = make_campaign()
    path = write(tmp_path, *({**row, "text": "-"} for row in answers("A", 1, 1, 1)))
    assert check_judgments(campaign, path).unused == ["text"]
    file = check_judgments(campaign, path, columns={"text": "text"})
    assert "'attributable' is answered without a text; leave it out." in str(file.errors[0])


def test_more_raters_than_an_item_needs_are_one_error(tmp_path: Path) -> None:
    campaign = make_campaign(passages=3)
    both = [answers(rater, 1, 1, 1, item=item) for rater in "AB" for item in (1, 2, 3)]
    path = write(tmp_path, *(row for rows in both for row in rows))
    [error] = check_judgments(campaign, path).errors
    assert "item 1 needs 1 more rater, the file has 2; make a campaign with 2" in str(error)


def test_valid_rows_can_be_imported_without_the_others(tmp_path: Path) -> None:
    make_user("anna")
    campaign = make_campaign(passages=3)
    path = tmp_path / "study.csv"
    import_judgments(campaign, write(tmp_path, *answers("Z", 0, 1, 1, item=3)), by=None)
    rows = [
        *answers("A", 1, 7, 1),
        *answers("anna", 1, 1, 1, item=2),
        *answers("B", 1, 1, 1, item=3),
        *answers("Z", 1, 1, 1, item=3),
        *answers("A", 1, item=9),
    ]
    file = import_judgments(campaign, write(tmp_path, *rows), by=None, skip_invalid=True)
    assert sorted(each.line for each in file.errors) == [3, 5, 8, 11, 14]
    zeds = [("Z@bridges", 0, 0, True), ("Z@bridges", 1, 1, True), ("Z@bridges", 2, 1, True)]
    assert stored(campaign) == [*zeds, ("A@bridges", 0, 1, False), ("A@bridges", 2, 1, False)]
    assert not User.objects.filter(username="anna@bridges").exists()
    errors, out = StringIO(), StringIO()
    with pytest.raises(CommandError, match=r"5 errors\. --skip-invalid imports the valid rows"):
        call_command("import_judgments", campaign.slug, path, stderr=errors)
    with pytest.raises(CommandError, match="Invalid rows skipped: 5") as skipped:
        call_command(
            "import_judgments", campaign.slug, path, "--skip-invalid", stderr=errors, stdout=out
        )
    assert skipped.value.returncode == 1
    assert "Imported: answers: 4, known before: 4, raters: 2" in out.getvalue()


def test_the_command_has_the_options_of_other_imports(tmp_path: Path) -> None:
    campaign = make_campaign()
    path = tmp_path / "study.csv"
    path.write_text("1/1/Jörg/1\n1/2/Jörg/0\n", encoding="utf-16-le")
    columns = ["--map", "item=column 1", "--map", "sentence=column 2", "--map", "rater=column 3"]
    options = ["--no-header", "--delimiter", "/", "--encoding", "utf-16-le"]
    call_command(
        *("import_judgments", campaign.slug, str(path), *options, *columns),
        *("--map", "value=column 4"),
        stdout=StringIO(),
    )
    assert [row[:3] for row in stored(campaign)] == [("Jörg@bridges", 0, 1), ("Jörg@bridges", 1, 0)]
    path.write_text("item,value\n1,7\n")
    with pytest.raises(CommandError, match=r"Nothing was written: 1 error\."):
        call_command("import_judgments", campaign.slug, path, stderr=StringIO())


def test_a_slot_that_is_claimed_meanwhile_undoes_the_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make_campaign()
    import_judgments(campaign, write(tmp_path, *answers("A", 1, 1, 1)), by=None)
    monkeypatch.setattr("annotation.judging.imports._check_slots", lambda *_: None)
    file = import_judgments(campaign, write(tmp_path, *answers("B", 1, 1, 1)), by=None)
    assert "needs no more raters" in str(file.errors[0])
    assert {row[0] for row in stored(campaign)} == {"A@bridges"}
    assert not User.objects.filter(username="B@bridges").exists()


def test_a_campaign_must_be_open_and_have_the_columns(tmp_path: Path) -> None:
    campaign = make_campaign()
    path = write(tmp_path, *answers("A", 1))
    file = check_judgments(campaign, path, columns={"rater": "Coder"})
    assert str(file.errors[0]) == (
        "study.csv, field rater: the file has no such column (found Coder); choose one of item, "
        "sentence, rater, value."
    )
    (tmp_path / "empty.csv").write_text("item,value\n")
    assert "the file has no rows" in str(check_judgments(campaign, tmp_path / "empty.csv").errors)
    close_campaign(campaign)
    assert "start or reopen it" in str(check_judgments(campaign, path).errors[0])


def test_columns_called_as_criteria_hold_answers_and_a_text_is_the_passages(tmp_path: Path) -> None:
    campaign = make_campaign(passages=1)
    name = campaign.items.get().passage.external_id
    row = {"passage": name, "text": "It runs.", "sentence": 1, "meta.WorkerId": "A"}
    criteria = [each.name for each in questionnaire_of(campaign).criteria if not each.is_text][:2]
    path = write(tmp_path, row | dict.fromkeys(criteria, "1"))
    file = check_judgments(campaign, path)
    assert file.counts == [("A", criterion, 1) for criterion in sorted(criteria)]
    assert (file.errors, file.unused) == ([], ["text"])
    words = write(tmp_path, row | {"value": "Not supported"})
    (work,) = check_judgments(campaign, words).work.values()
    assert work.answers


def test_sides_and_systems_choose_the_item(tmp_path: Path) -> None:
    campaign = make_campaign(passages=1, sides="both")
    passage = campaign.items.earliest("position").passage.external_id
    row = {"passage": passage, "sentence": 1, "value": 1}
    assert "has 2 items" in str(check_judgments(campaign, write(tmp_path, row)).errors[0])
    import_judgments(campaign, write(tmp_path, {**row, "side": "before"}), by=None)
    assert Assignment.objects.get().item.side == "before"
    other = write(tmp_path, {**row, "side": "before", "system": "efec"})
    assert "no such item" in str(check_judgments(campaign, other).errors[0])


def test_imported_raters_belong_to_their_campaign_and_cannot_log_in(
    tmp_path: Path, as_administrator: Client
) -> None:
    campaign, other = make_campaign(), make_campaign(name="Other")
    path = write(tmp_path, *answers("A", 1, 1, 1))
    for each in (campaign, other):
        import_judgments(each, path, by=None)
    rater = User.objects.get(username="A@bridges")
    assert (rater.is_active, rater.is_imported, rater.has_usable_password()) == (0, 1, 0)
    reactivated = as_administrator.post(f"/people/{rater.pk}/reactivate/")
    assert reactivated.status_code == 404
    people = as_administrator.get("/people/?q=A@bridges")
    assertContains(people, "<td>imported</td>", html=True)
    raters = as_administrator.get(f"/campaigns/{campaign.slug}/raters/")
    assertContains(raters, '<span class="chip">imported</span>', html=True)
    close_campaign(campaign)
    delete_campaign(campaign)
    assert [each.username for each in User.objects.filter(is_imported=True)] == ["A@other"]


@pytest.mark.parametrize("use", ["gold", "training"])
def test_the_same_file_gives_right_answers(use: str, tmp_path: Path) -> None:
    campaign, other = make_campaign(), make_campaign(name="Other")
    rows = [{**row, "comment": "So it says."} for row in answers("", 1, 0, 1)]
    for _ in range(2):
        import_judgments(campaign, write(tmp_path, *rows), use=use, by=None)
    item = campaign.items.get(position=1)
    rights = {key: (right.value, right.why) for key, right in answers_of(item).items()}
    assert rights == {("attributable", n): (v, "So it says.") for n, v in enumerate((1, 0, 1))}
    assert item.use == use
    assert not Assignment.objects.exists()
    # The export of right answers is such a file.
    exported = tmp_path / "right.jsonl"
    exported.write_bytes(
        bytes_of(campaign, "reference_answers").replace(
            item.passage.external_id.encode(),
            other.items.get(position=1).passage.external_id.encode(),
        )
    )
    import_judgments(other, exported, use=use, by=None)
    assert answers_of(other.items.get(position=1)) == answers_of(item)
    useful = write(tmp_path, {"item": 1, "criterion": "useful", "sentence": 1, "value": 1})
    assert "no such criterion" in str(check_judgments(campaign, useful, use=use).errors[0])


def upload(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def test_the_page_checks_then_imports(as_researcher: Client, tmp_path: Path) -> None:
    campaign = make_campaign()
    url = f"/campaigns/{campaign.slug}/judgments/import/"
    assertContains(as_researcher.get(f"/campaigns/{campaign.slug}/"), url)
    path = write(tmp_path, *answers("A", 1, 1, 1))
    checked = as_researcher.post(url, {"file": upload(path)})
    assertContains(checked, "Answers: 3, raters: 1.")
    assert not Assignment.objects.exists()
    columns = {"columns_of": path.name, "item": "item", "sentence": "value", "value": "value"}
    wrong = as_researcher.post(url, {"file": upload(path), "import": 1, **columns})
    assertContains(wrong, "line 3, field rater: line 2 answers the same")
    # Columns of another file are guessed again.
    columns["columns_of"] = "other.csv"
    done = as_researcher.post(url, {"file": upload(path), "import": 1, **columns})
    assertRedirects(done, f"/campaigns/{campaign.slug}/raters/")
    assert Assignment.objects.get().rater.username == "A@bridges"
    gold = as_researcher.post(url, {"file": upload(path), "import": 1, "use": "gold"})
    assertRedirects(gold, f"/campaigns/{campaign.slug}/checks/")
    wrong = as_researcher.post(url, {"file": upload(write(tmp_path, *answers("B", 1, 7, item=2)))})
    assertContains(wrong, 'name="skip_invalid"')
    valid = as_researcher.post(url, {"file": upload(path), "skip_invalid": 1})
    assertRedirects(valid, f"/campaigns/{campaign.slug}/raters/")
    assert [row[:3] for row in stored(campaign)][-1] == ("B@bridges", 0, 1)
    binary = as_researcher.post(url, {"file": SimpleUploadedFile("a.csv", b"PK\x03\x04")})
    assertContains(binary, "ZIP archive")


def test_encoding_delimiter_and_header_are_chosen_on_the_page(as_researcher: Client) -> None:
    campaign = make_campaign()
    url = f"/campaigns/{campaign.slug}/judgments/import/"
    content = "1/1/Anaïs/1/\n1/2/Anaïs/0/\n1/3/Anaïs/1/\n".encode("utf-16-le")

    def post(**data: object) -> str:
        file = SimpleUploadedFile("study.csv", content)
        return as_researcher.post(url, {"file": file, **data}, follow=True).content.decode()

    page = post()
    assert "no column is known to hold the passage" in page
    assert page.count('<option value="utf-16-le" selected') == 1
    chosen = {"reading_of": "study.csv", "encoding": "utf-16-le", "delimiter": "/"}
    stale = {"columns_of": "study.csv utf-16-le ; True", "item": "1/1/Anaïs/1/"}
    page = post(**chosen, **stale, has_header="False")
    assert "the columns are column 1, column 2, column 3, column 4" in page
    assert re.search(r">column 3:\s+Anaïs</option>", page)
    [key] = re.findall(r'name="columns_of" value="(.*?)"', page)
    fields = ("item", "sentence", "rater", "value")
    columns = {name: f"column {number}" for number, name in enumerate(fields, start=1)}
    given = {**chosen, "has_header": "False", "columns_of": key, **columns}
    assert "Answers: 3, raters: 1." in post(**given)
    post(**given, **{"import": 1})
    assert Assignment.objects.get().rater.username == "Anaïs@bridges"
    assert "one character" in post(reading_of="study.csv", delimiter="//")


def test_the_api_imports(tmp_path: Path, researcher: User) -> None:
    campaign = make_campaign()
    client = api_client(researcher)
    url = f"/api/campaigns/{campaign.slug}/judgments/"
    path = write(tmp_path, {"nr": 1, "value": 7}, {"nr": 1, "value": 1})
    data = {"file": upload(path), "columns.item": "nr", "columns.sentence": "value"}
    wrong = client.post(url, data)
    assert (wrong.status_code, "line 2" in wrong.content.decode()) == (400, True)
    path = write(tmp_path, *answers("A", 1, 1, 1))
    made = client.post(url, {"file": upload(path)})
    assert made.status_code == 201
    assert made.json()["summary"] == "answers: 3, raters: 1"
    path = write(tmp_path, *answers("B", 1, 7, item=2))
    assert client.post(url, {"file": upload(path)}).status_code == 400
    made = client.post(url, {"file": upload(path), "skip_invalid": "true"})
    assert "line 3" in made.json()["skipped"][0]
    submitted = Assignment.objects.exclude(submitted_at=None)
    assert [each.rater.username for each in submitted] == ["A@bridges"]
    file = SimpleUploadedFile("in.csv", "1/1/Zoé/1\n".encode("utf-16-le"))
    names = ("item", "sentence", "rater", "value")
    columns = {f"columns.{name}": f"column {n}" for n, name in enumerate(names, start=1)}
    reading = {"encoding": "utf-16-le", "delimiter": "/", "has_header": "false"}
    made = client.post(url, {"file": file, **reading, **columns})
    assert (made.status_code, made.json()["summary"][:21]) == (201, "answers: 1, raters: 1")


def test_the_command_imports(tmp_path: Path) -> None:
    campaign = make_campaign()
    path = write(tmp_path, *({"nr": 1, **row} for row in answers("A", 1, 1, 1)))
    for options, expected in (
        ({"dry_run": True}, "Valid, and nothing was written: answers: 3, raters: 1."),
        ({"map": ["item=nr"]}, "Imported: answers: 3, raters: 1."),
        ({}, "Imported: answers: 3, known before: 3, raters: 1."),
    ):
        out = StringIO()
        call_command("import_judgments", campaign.slug, path, stdout=out, **options)
        assert expected in out.getvalue()
    errors = StringIO()
    for arguments, code in (
        (("nowhere", path), 2),
        ((campaign.slug, tmp_path / "none.csv"), 2),
        ((campaign.slug, path, "--map", "colour=nr"), 2),
        ((campaign.slug, path, "--map", "sentence=value"), 1),
    ):
        with pytest.raises(CommandError) as refused:
            call_command("import_judgments", *map(str, arguments), stderr=errors)
        assert refused.value.returncode == code
    assert "study.csv, line 3, field rater" in errors.getvalue()
