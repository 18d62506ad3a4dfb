"""How far a passage is that somebody watches: RARR's steps, done, in work or to come."""

from dataclasses import dataclass

from pipeline import models
from pipeline.rarr.types import EditOutcome, Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step; `state` is done, running or waiting."""

    name: str
    state: str
    says: str = ""


def steps_of(trial: models.Revision, found: Revision | None) -> list[Step]:
    """The steps of a trial in their order, of which one is in work."""
    asked = found.queries if found else ()
    snippets = sum(map(len, found.evidence)) if found else 0
    turns = found.trace if found else ()
    wanted = sum(max(1, len(each)) for each in found.evidence) if found else 0
    judged = [turn.agreement for turn in turns if turn.agreement]
    disagree = sum(verdict.is_open for verdict in judged)
    kept = sum(turn.edit_outcome is EditOutcome.KEPT for turn in turns)
    told = [
        ("Queries", bool(asked), _count(len(asked), "query", "queries")),
        ("Evidence", bool(found and found.evidence), _count(snippets, "snippet", "snippets")),
        (
            "Agreement and edits",
            bool(turns) and len(turns) >= wanted,
            f"{len(turns)} of {wanted} judged, {disagree} disagree{'s' * (disagree == 1)}, "
            f"{_count(kept, 'edit', 'edits')} kept",
        ),
        ("Report and auto-AIS", False, ""),
    ]
    if trial.state == trial.State.DONE:
        return [Step(name=name, state="done", says=says) for name, _, says in told]
    steps = []
    is_at_work = trial.state == trial.State.RUNNING and trial.started_at is not None
    for name, is_done, says in told:
        if is_done:
            steps.append(Step(name=name, state="done", says=says))
            continue
        said = says if name.startswith("Agreement") and is_at_work and wanted else ""
        steps.append(Step(name=name, state="running" if is_at_work else "waiting", says=said))
        is_at_work = False
    return steps


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
