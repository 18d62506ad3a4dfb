"""Campaigns, created as the product does."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.campaigns.lifecycle import start_campaign
from annotation.judging.answers import AnswerUpdate, save_judgments, submit
from annotation.models import Assignment, Campaign
from annotation.raters.memberships import add_member
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.factories import make_passage, make_revision, make_run, make_user
from tests.support.reference_answers import claim, judge

TEXT = "The bridge opened in 1934. It carries two railway lines. Nobody painted it."
REVISED = "The bridge opened in 1932. It carries two railway lines. Nobody painted it."
EVIDENCE: list[dict[str, Any]] = [
    {
        "title": "Harbour bridge",
        "url": "https://bridge.example/history",
        "text": "It was opened in 1932 and carries two railway lines.",
        "document_id": "d1",
        "query": "When did it open?",
        "relevance": 0.9,
    },
    {"title": "", "url": "javascript:alert(1)", "text": "<b>Paint</b> is expensive."},
]


REPORT = {"report": {"evidence": EVIDENCE}}


def make_judgeable_run(*, passages: int = 2, cites: bool = False, **values: Any) -> Run:
    """Each revision has three sentences and two snippets."""
    mark = " [1]" if cites else ""
    run = make_run(**{"state": Run.State.FINISHED, **values})
    for _ in range(passages):
        passage = make_passage(run.dataset, text=TEXT + mark, context="Tell me about the bridge.")
        make_revision(
            run, passage=passage, state="done", text=REVISED + mark, is_changed=True, result=REPORT
        )
    return run


def make_campaign(
    *,
    passages: int = 2,
    sides: str = "after",
    raters_per_item: int = 1,
    raters: tuple[User, ...] = (),
    name: str = "Bridges",
    run: Run | None = None,
    runs: Sequence[Run] = (),
    questionnaire: str = "attribution",
    may_repeat_passages: bool = True,
    **chosen: Any,
) -> Campaign:
    """Open a campaign in which one rater may judge both sides of a passage."""
    campaign = start_campaign(
        name=name,
        runs=runs
        or [run or make_judgeable_run(passages=passages, cites=questionnaire == "citation")],
        sides=sides,
        raters_per_item=raters_per_item,
        questionnaire=questionnaire,
        may_repeat_passages=may_repeat_passages,
        created_by=make_user(role=User.Role.RESEARCHER),
        **chosen,
    )
    for rater in raters:
        add_member(campaign, user=rater)
    campaign.memberships.update(has_read_instructions=True)
    return campaign


def make_assignment(rater: User, **values: Any) -> Assignment:
    return claim(rater, make_campaign(raters=(rater,), **values))


def save_judgment(
    assignment: Assignment, *, criterion: str, target: int, value: int | None, sequence: int
) -> None:
    answer = AnswerUpdate(criterion=criterion, target=target, value=value, sequence=sequence)
    save_judgments(assignment, [answer])


def hand_in(
    assignment: Assignment, values: Mapping[tuple[str, int], int], *, text: str = "Revised."
) -> None:
    """Answer by criterion and target, with `text` where one is written, and submit."""
    answers = [
        AnswerUpdate(
            criterion=criterion,
            target=target,
            value=value,
            text=text if criterion == "revision" else "",
            sequence=1,
        )
        for (criterion, target), value in values.items()
    ]
    save_judgments(assignment, answers)
    assert submit(assignment) == []


def judge_everything(assignment: Assignment, value: bool = True) -> None:
    judge(assignment, [value] * len(assignment.item.sentences))
