"""Lines that the RARR program wrote become a finished run, and leave as they came."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from pipeline.engine.auto_ais import sentence_codes
from pipeline.models import Dataset, Run
from pipeline.runs.line_files import run_file
from pipeline.runs.stored_revisions import read_revision, read_scores
from tests.support.commands import write_lines
from tests.support.factories import make_dataset
from tests.support.rarr_lines import AFTER, BEFORE, LINE, RESULT

pytestmark = pytest.mark.django_db

SECOND = {
    "id": "2",
    "input_info": {"claim": "The Ribble is long.", "context": "How long?", "own": [1]},
    "result": {"revisions": [{"revised_text": "The Ribble is 75 miles long."}], "own": {"k": 0.5}},
    "model": "text-davinci-003",
}
PLAIN = {"id": "3", "input_info": {"claim": "It is nobody's."}}
LINES: list[dict[str, Any]] = [{"id": "1", **LINE}, SECOND, PLAIN]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "out.jsonl", LINES)


def load(file: Path, dataset: Dataset, *options: str) -> str:
    out = StringIO()
    call_command("load_passages", str(file), "--dataset", dataset.slug, *options, stdout=out)
    return out.getvalue()


def exported(run: Run) -> list[dict[str, Any]]:
    data = b"".join(run_file(run).chunks())
    return [json.loads(line) for line in data.decode().splitlines()]


def test_lines_with_a_revision_become_one_finished_run_and_leave_as_they_came(file: Path) -> None:
    dataset = make_dataset()
    load(file, dataset, "--dry-run")
    assert not dataset.runs.exists()
    reported = load(file, dataset)
    load(file, dataset)
    run = dataset.runs.get()
    assert f"run {run.pk}, by imported" in reported
    assert (run.state, run.system, run.passage_count) == ("finished", "imported", 2)
    assert run.config["file"]["name"] == "out.jsonl"
    assert len(run.config["file"]["sha256"]) == 64
    assert dataset.passages.count() == 3
    first, second = run.revisions.all()
    assert (first.original_text, first.text, first.is_changed) == (BEFORE, AFTER, True)
    assert (first.edits_accepted, first.error_count) == (1, 1)
    assert first.preservation == pytest.approx(1 - 4 / len(BEFORE))
    assert first.attribution_after is None
    assert len(read_revision(first).trace) == 3
    assert second.text == "The Ribble is 75 miles long."
    assert exported(run) == LINES[:2]


def test_another_system_is_another_run(file: Path, as_researcher: Client) -> None:
    dataset = make_dataset()
    load(file, dataset, "--system", "RARR, PaLM")
    file.write_text(file.read_text().replace("Irish", "Celtic"))
    load(file, dataset, "--system", "EFEC")
    new, old = dataset.runs.all()
    assert (old.system, new.system) == ("RARR, PaLM", "EFEC")
    assert old.revisions.first().text == AFTER
    # The passage holds the other file's result by now: the stored revision has its own.
    written = exported(old)[0]["result"]
    assert written["revisions"][0]["revised_text"] == AFTER
    assert written["questions"] == RESULT["questions"]
    assert set(RESULT) <= set(written)
    for page in (
        old.get_absolute_url(),
        f"{old.get_absolute_url()}revisions/",
        f"{old.get_absolute_url()}configuration/",
        f"/compare/?run={old.pk}&run={new.pk}",
        f"/results/?run={old.pk}&run={new.pk}",
        f"/runs/?dataset={dataset.slug}",
        old.revisions.first().get_absolute_url(),
    ):
        response = as_researcher.get(page)
        assert response.status_code == 200, page
        assert "RARR, PaLM" in response.content.decode(), page


def test_a_line_may_name_its_system(file: Path) -> None:
    dataset = make_dataset()
    load(write_lines(file, [{"system": "EFEC", **line} for line in LINES]), dataset)
    assert dataset.runs.get().system == "EFEC"


@pytest.mark.parametrize("name", ["unrevised", "x" * 51, "a\nb", " " * 50 + "x"])
def test_a_name_that_no_system_may_have_is_refused(file: Path, name: str) -> None:
    with pytest.raises(CommandError, match="write a name"):
        load(file, make_dataset(), "--system", name)


def test_auto_ais_scores_it_on_demand(file: Path) -> None:
    dataset = make_dataset()
    load(file, dataset)
    run = dataset.runs.get()
    out = StringIO()
    call_command("score_run", str(run.pk), stdout=out)
    assert "Scored: 2 by compact" in out.getvalue()
    first = run.revisions.first()
    assert first.attribution_after > first.attribution_before
    assert first.sentences["after"][0]["text"] == AFTER
    assert first.marks == sentence_codes(read_scores(first).after) != "", "filters go by them"
    run.refresh_from_db()
    assert run.config["entailment"] == "compact"
    line = exported(run)[0]
    assert line["result"].pop("scores")["attribution_after"] == first.attribution_after
    assert line == LINES[0]


def test_only_imported_runs_are_scored_so() -> None:
    run = Run.objects.create(system="rarr", dataset=make_dataset(), config={"system": "rarr"})
    with pytest.raises(CommandError, match="came in no file"):
        call_command("score_run", str(run.pk))
    with pytest.raises(CommandError, match="no run 999"):
        call_command("score_run", "999")
