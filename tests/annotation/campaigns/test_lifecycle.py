"""Making campaigns from runs."""

import pytest

from annotation.items.selection import preview_selection
from tests.support.campaigns import (
    EVIDENCE,
    REPORT,
    REVISED,
    TEXT,
    make_campaign,
    make_judgeable_run,
)
from tests.support.factories import make_passage, make_revision, make_run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sides", ["before", "after", "both"])
def test_the_chosen_sides_become_items(sides: str) -> None:
    texts = {("before", TEXT), ("after", REVISED)}
    chosen = {(side, text) for side, text in texts if sides in (side, "both")}
    campaign = make_campaign(sides=sides, passages=2)
    assert {(item.side, item.text) for item in campaign.items.all()} == chosen
    assert campaign.item_count == campaign.items.count() == 2 * len(chosen)


def test_an_item_freezes_what_the_rater_sees_and_nothing_else() -> None:
    item = make_campaign(passages=1).items.get()
    item.revision.text = "Something else."
    item.revision.save()
    item.refresh_from_db()
    assert item.context == "Tell me about the bridge."
    assert [item.text[s["start"] : s["end"]] for s in item.sentences] == [
        "The bridge opened in 1932.",
        "It carries two railway lines.",
        "Nobody painted it.",
    ]
    assert item.evidence == [
        {key: snippet[key] for key in ("title", "url", "text")} for snippet in EVIDENCE
    ]


def test_the_sentences_that_the_run_scored_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    # Splits nothing: the run has scored the sentences.
    monkeypatch.setattr("annotation.campaigns.lifecycle.load_splitter", lambda _name: pytest.fail)
    run = make_run()
    scored = {"after": [{"start": 0, "end": 3, "entailed": 0.9}, {"start": 4, "end": 7}]}
    make_revision(run, state="done", text="One two", sentences=scored, result=REPORT)
    assert make_campaign(run=run).items.get().sentences == [
        {"start": 0, "end": 3},
        {"start": 4, "end": 7},
    ]


@pytest.mark.parametrize(
    "scored",
    [
        [{"start": 0, "end": 99}],
        [{"start": 5, "end": 3}],
        [{"start": 0, "end": 8}, {"start": 4, "end": 12}],
        [{"start": None, "end": 3}],
        [{"text": "no offsets"}],
    ],
)
def test_offsets_that_do_not_fit_the_text_are_made_anew(scored: list[dict[str, object]]) -> None:
    run = make_run()
    sentences = {"after": scored}
    make_revision(run, state="done", text="One. Two two.", sentences=sentences, result=REPORT)
    item = make_campaign(run=run).items.get()
    assert [item.text[s["start"] : s["end"]] for s in item.sentences] == ["One.", "Two two."]


def test_unfinished_revisions_and_empty_texts_are_excluded_and_counted() -> None:
    run = make_judgeable_run(passages=2)
    bare = make_revision(run, state="done", text="One.", result={})  # without a report
    make_revision(run, state="failed")
    make_revision(run, state="queued")
    make_revision(run, state="done", text=" \n", passage=make_passage(run.dataset, text="One."))
    counted = preview_selection([run], "both")
    assert (counted.items, counted.revisions) == (7, 4)
    assert (counted.unfinished, counted.without_text) == (2, 1)
    campaign = make_campaign(run=run, sides="both")
    assert campaign.item_count == 7
    assert [each.evidence for each in campaign.items.filter(revision=bare)] == [[], []]


def test_names_may_be_the_same_and_slugs_are_not_and_no_address_is_taken() -> None:
    run = make_judgeable_run(passages=1)
    slugs = [
        make_campaign(run=run, name=name).slug for name in ("New", "Join", "Bees", "Bees", "¿?")
    ]
    assert slugs == ["new-2", "join-2", "bees", "bees-2", "campaign"]
