"""Two systems over one dataset, and judgments of their revisions."""

from collections.abc import Sequence
from typing import Any

from annotation.models import Campaign
from pipeline.models import Passage, Revision, Run
from tests.support.exports import adjudicate, judge, make_campaign, make_item
from tests.support.factories import make_dataset, make_run, make_user
from tests.support.revision_rows import make_viaduct

SENTENCES = ("One.", "Two.", "Three.", "Four.")
"""As many as the viaduct's passage has."""


def make_compared_runs(*, systems: Sequence[str] = ("rarr", "efec")) -> list[Run]:
    dataset = make_dataset(slug="viaducts", name="Viaducts")
    return [
        make_run(
            dataset=dataset, system=system, state=Run.State.FINISHED, config={"system": system}
        )
        for system in systems
    ]


def revise_alike(runs: Sequence[Run], **last: Any) -> Passage:
    """All runs revise a passage into the same text; `last` changes the last run's row."""
    first = make_viaduct(runs[0], marks="aaan", edits_rejected=0)
    for run in runs[1:]:
        mine = last if run is runs[-1] else {}
        values = {"passage": first.passage, "marks": "aaan", "edits_rejected": 0, **mine}
        make_viaduct(run, **values)
    return first.passage


def make_kind(runs: Sequence[Run], kind: str) -> Campaign:
    sides = "pair" if kind == "intent" else "after"
    return make_campaign(
        runs=runs, slug=kind, name=kind.capitalize(), questionnaire=kind, sides=sides
    )


def say(campaign: Campaign, revision: Revision, *raters: Sequence[int]) -> None:
    item = make_item(campaign, *SENTENCES, side="after", revision=revision)
    for slot, message in enumerate(raters, start=1):
        judge(item, make_user(), *message, slot=slot)


def compare_intent(
    campaign: Campaign, revision: Revision, *levels: int, settled: int | None = None
) -> None:
    item = make_item(campaign, *SENTENCES, side="pair", revision=revision)
    for slot, level in enumerate(levels, start=1):
        judge(item, make_user(), slot=slot, intent=[level])
    if settled is not None:
        adjudicate(item, 0, settled, "intent")
