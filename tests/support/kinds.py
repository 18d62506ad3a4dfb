"""An item of each questionnaire, and answers as its page sends them."""

import json
from typing import Any

from django.test import Client

from annotation.models import Assignment
from annotation.questionnaires import questionnaire_of
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.campaigns import REPORT, make_assignment, make_judgeable_run
from tests.support.factories import make_passage, make_revision, make_run

CITING = "The bridge opened in 1932 [2]. It is old. It carries two lines [1][2]. Why?"
QUOTES = [
    {"idx": 1, "docid": "d#1", "text": "Two lines."},
    {"idx": 2, "docid": "d#2", "text": "Opened 1932."},
]


def make_citing_run() -> Run:
    run = make_run(state=Run.State.FINISHED)
    before = CITING.replace("1932", "1931")
    passage = make_passage(run.dataset, text=before, context="When?", source={"quotes": QUOTES})
    make_revision(run, passage=passage, state="done", text=CITING, result=REPORT)
    return run


def assignment_of(kind: str, rater: User, *, sides: str = "after") -> Assignment:
    run = make_judgeable_run() if kind in {"intent", "manual_revision"} else make_citing_run()
    return make_assignment(rater, questionnaire=kind, sides=sides, run=run)


def put(client: Client, assignment: Assignment, *answers: dict[str, Any]) -> Any:
    batch = [{"sequence": 1, **answer} for answer in answers]
    url = f"/api/tasks/{assignment.pk}/judgments/"
    return client.put(url, json.dumps({"answers": batch}), content_type="application/json")


def everything(assignment: Assignment) -> dict[tuple[str, int], int]:
    """The highest level of all that must be answered, by criterion and target."""
    return {
        (criterion.name, target): criterion.levels[-1].value
        for criterion in questionnaire_of(assignment.item.campaign).criteria
        if criterion.is_required
        for target in criterion.required_targets(assignment.item)
    }
