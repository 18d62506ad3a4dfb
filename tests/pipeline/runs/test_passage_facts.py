"""What filters ask of the passages that several runs have revised."""

import pytest
from django.core.cache import cache

from pipeline.models import Passage, Revision, Run
from pipeline.runs.passage_facts import PassageFacts, passage_facts
from tests.support.factories import make_dataset, make_passage, make_revision, make_run
from tests.support.queries import captured_queries

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs() -> list[Run]:
    dataset = make_dataset()
    return [make_run(dataset=dataset, system=system) for system in ("rarr", "efec")]


def revise(runs: list[Run], **values: object) -> Passage:
    """A passage that all runs revised alike; `values` are those of the last run's revision."""
    passage = make_passage(runs[0].dataset)
    for run in runs:
        mine = values if run is runs[-1] else {}
        make_revision(run, passage=passage, **{"state": "done", "text": "The same.", **mine})
    return passage


def facts_of(runs: list[Run]) -> dict[int, PassageFacts]:
    return {fact.passage: fact for fact in passage_facts(runs)}


def test_a_passage_that_a_run_has_not_revised_is_excluded(runs: list[Run]) -> None:
    stored = revise(runs)
    revise(runs, state=Revision.State.FAILED)
    make_revision(runs[0], passage=make_passage(runs[0].dataset), state="done")
    assert list(facts_of(runs)) == [stored.pk]


@pytest.mark.parametrize(
    ("fact", "values"),
    [
        ("differs", {"text": "Another one."}),
        ("is_rejected", {"edits_rejected": 1}),
        ("is_in_conflict", {"marks": "ac"}),
        ("is_in_conflict", {"marks": "da"}),
    ],
)
def test_a_fact_is_true_of_one_passage_and_not_of_the_other(
    runs: list[Run], fact: str, values: dict[str, object]
) -> None:
    one, other = revise(runs, **{"marks": "an-", **values}), revise(runs, marks="an-")
    facts = facts_of(runs)
    assert (getattr(facts[one.pk], fact), getattr(facts[other.pk], fact)) == (True, False)


def test_gains_are_those_of_the_runs_where_they_are_largest_and_smallest(runs: list[Run]) -> None:
    passage = revise(runs, attribution_before=0.5, attribution_after=0.25)
    first = Revision.objects.filter(run=runs[0], passage=passage)
    first.update(attribution_before=0.25, attribution_after=0.75)
    unscored = revise(runs)
    facts = facts_of(runs)
    assert facts[passage.pk][-2:] == (0.5, -0.25)
    assert facts[unscored.pk][-2:] == (None, None)


def test_facts_of_runs_that_are_over_are_read_once(runs: list[Run]) -> None:
    cache.clear()
    revise(runs)
    for run in runs:
        run.state = Run.State.FINISHED
    passage_facts(runs)
    with captured_queries() as requests:
        passage_facts(runs)
    assert len(requests) == 1, "whether they are still so"
    runs[0].state = Run.State.RUNNING
    with captured_queries() as requests:
        passage_facts(runs)
    assert len(requests) == 1


@pytest.mark.parametrize("state", [Run.State.FINISHED, Run.State.CANCELLED])
def test_later_scores_and_passages_of_a_run_are_seen_at_once(runs: list[Run], state: str) -> None:
    passage = revise(runs)
    for run in runs:
        run.state = state
    assert {key: fact.highest_gain for key, fact in facts_of(runs).items()} == {passage.pk: None}
    scores = {"attribution_before": 0.25, "attribution_after": 0.75, "marks": "ac"}
    Revision.objects.filter(run=runs[0]).update(**scores)
    facts = facts_of(runs)[passage.pk]
    assert (facts.highest_gain, facts.is_in_conflict) == (0.5, True)
    late = revise(runs)
    assert list(facts_of(runs)) == [passage.pk, late.pk]
