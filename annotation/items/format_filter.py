"""HAGRID's format filter (section 3.3): exclude answers with formal problems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, Q, QuerySet, When

from annotation.models import Campaign
from pipeline.generation.answer_format import PROBLEMS
from pipeline.models import Revision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatProblems:
    """The formal problems of a run's finished answers."""

    answers: int
    problems: Mapping[str, int] = field(default_factory=dict)
    """Key of `PROBLEMS` to number of answers, which can have several."""
    excluded: int = 0
    """The number of excluded answers."""


def find_problems(runs: Iterable[Run], leave_out: Sequence[str] = ()) -> dict[int, FormatProblems]:
    """Return run id → problems. One query."""
    rows: QuerySet[Revision] = Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
    counted: Iterable[Any] = (
        rows.order_by()
        .values("run")
        .annotate(
            n=Count("pk"),
            excluded=Count("pk", filter=_has_any(leave_out)),
            **{problem: Count("pk", filter=_has_any([problem])) for problem in PROBLEMS},
        )
    )
    return {
        row["run"]: FormatProblems(
            answers=row["n"],
            problems={each: row[each] for each in PROBLEMS if row[each]},
            excluded=row["excluded"],
        )
        for row in counted
    }


def without_problems(revisions: QuerySet[Revision], leave_out: Sequence[str]) -> QuerySet[Revision]:
    """Exclude answers with any of the problems."""
    if not leave_out:
        return revisions
    # A comparison with NULL is neither true nor false.
    is_broken = Case(When(_has_any(leave_out), then=True), default=False)
    return revisions.alias(is_broken=is_broken).filter(is_broken=False)


def excluded_answers(campaign: Campaign) -> dict[str, object]:
    """Count the answers that the campaign excludes for their form; {} if none. Two queries."""
    if not campaign.excluded_problems:
        return {}
    by_run = find_problems(campaign.runs.order_by("pk"), campaign.excluded_problems)
    return {
        "answers": sum(each.excluded for each in by_run.values()),
        "problems": {
            problem: sum(each.problems.get(problem, 0) for each in by_run.values())
            for problem in campaign.excluded_problems
        },
        "of": sum(each.answers for each in by_run.values()),
    }


def no_answer_left(campaign: Campaign) -> str:
    """Return the error if all answers are excluded, else ""."""
    excluded = excluded_answers(campaign)
    if not excluded or excluded["answers"] != excluded["of"] or not excluded["of"]:
        return ""
    return (
        f"All {excluded['of']:,} answers have one of the problems to leave out: "
        "leave out fewer, or choose other runs."
    )


def _has_any(problems: Sequence[str]) -> Q:
    """Search the text of the JSON list, as SQLite cannot search the list."""
    query = Q(pk__in=[])
    for problem in problems:
        query |= Q(generation__problems__icontains=f'"{problem}"')
    return query
