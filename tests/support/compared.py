"""Two systems over one dataset, and what raters say of what they made of it."""

from collections.abc import Sequence
from typing import Any

from annotation.models import Campaign
from pipeline.models import Passage, Revision, Run
from tests.support.exports import adjudicate, judge, make_item
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
    """A passage that all runs revised into the same text; `last` changes the last run's row.

    Its marks say: attributed, attributed, attributed, not attributed.
    """
    first = make_viaduct(runs[0], marks="aaan", edits_rejected=0)
    for run in runs[1:]:
        own = last if run is runs[-1] else {}
        row = make_viaduct(run, **{"marks": "aaan", "edits_rejected": 0, **own})
        unused = row.passage
        Revision.objects.filter(pk=row.pk).update(passage=first.passage)
        unused.delete()
    return first.passage


def make_kind(runs: Sequence[Run], kind: str) -> Campaign:
    """A campaign of the questionnaire `kind` over the runs."""
    campaign = Campaign.objects.create(
        slug=kind, name=kind.capitalize(), questionnaire=kind, state=Campaign.State.PRODUCTION,
        sides="pair" if kind == "intent" else "after",
    )  # fmt: skip
    campaign.runs.set(runs)
    return campaign


def say(campaign: Campaign, revision: Revision, *raters: Sequence[int]) -> None:
    """What each rater says of the sentences of a revision."""
    item = make_item(campaign, *SENTENCES, side="after", revision=revision)
    for slot, said in enumerate(raters, start=1):
        judge(item, make_user(), *said, slot=slot)


def compare_intent(
    campaign: Campaign, revision: Revision, *levels: int, settled: int | None = None
) -> None:
    """How similar each rater calls the revision's intent, 0 to 2; `settled` by an adjudicator."""
    item = make_item(campaign, *SENTENCES, side="pair", revision=revision)
    for slot, level in enumerate(levels, start=1):
        judge(item, make_user(), slot=slot, intent=[level])
    if settled is not None:
        adjudicate(item, 0, settled, "intent")
