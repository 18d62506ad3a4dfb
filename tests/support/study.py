"""A simulated study: systems scored by a model and judged by two raters, at random."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.models import Campaign
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
    make_user,
    spans_of,
)

SIDES = ("before", "after")
SENTENCES = ("The bridge opened in 1932.", "It carries two lines.", "Nobody painted it.")
TEXT = " ".join(SENTENCES)
PASSAGES, RATERS = 24, 2


class Study:
    """Arrays by system and passage, and the campaigns."""

    def __init__(self, *systems: str, passages: int = PASSAGES, **run_values: Any) -> None:
        systems = systems or ("efec", "rarr")
        chance = np.random.default_rng(11)
        shape = (len(systems), passages)
        self.scores = chance.random((*shape, 2, len(SENTENCES))).round(4)  # by side and sentence
        self.scores[:, :, 1] = np.sqrt(self.scores[:, :, 1]).round(4)
        self.auto = self.scores.mean(axis=-1)
        self.lev = chance.random(shape).round(6)
        # Raters say yes the more readily, the higher the score of a sentence is.
        self.answers = chance.random((*self.scores.shape, RATERS)) < self.scores[..., None]
        # Of intent: 2 where it is kept, else 0 or 1.
        self.levels = np.where(
            chance.random((*shape, RATERS)) < 0.6, 2, chance.integers(0, 2, (*shape, RATERS))
        )
        self.raters = [make_user() for _ in range(RATERS)]
        self.dataset = make_dataset(name="Facts & dates")
        self.passages = [make_passage(self.dataset, text=TEXT) for _ in range(passages)]
        corpus = make_corpus()
        common = {"dataset": self.dataset, "corpus": corpus, "state": Run.State.FINISHED}
        self.runs = [make_run(system=system, **common, **run_values) for system in systems]
        self.attribution = self._campaign("attribution", sides="both", raters_per_item=RATERS)
        for system, number in product(range(len(systems)), range(passages)):
            self._judge_attribution(system, number)

    def _campaign(self, kind: str, **values: Any) -> Campaign:
        return make_campaign(runs=self.runs, slug=kind, name=kind, questionnaire=kind, **values)

    def _judge_attribution(self, system: int, number: int) -> None:
        scores = self.scores[system, number]
        before, after = self.auto[system, number]
        revision = make_revision(
            self.runs[system],
            passage=self.passages[number],
            state="done",
            text=TEXT,
            is_changed=True,
            attribution_before=before,
            attribution_after=after,
            preservation=self.lev[system, number],
            sentences={side: _scored(of) for side, of in zip(SIDES, scores, strict=True)},
        )
        for side, answers in zip(SIDES, self.answers[system, number], strict=True):
            item = make_item(
                self.attribution, *SENTENCES, side=side, revision=revision, wanted=RATERS
            )
            for slot, rater in enumerate(self.raters):
                judge(item, rater, *map(bool, answers[:, slot]), slot=slot + 1)


class JoinedStudy(Study):
    def __init__(self, *systems: str, **run_values: Any) -> None:
        super().__init__(*systems, **run_values)
        self.intent = self._campaign("intent", sides="pair")
        self.campaigns = [self.attribution, self.intent]
        for system, run in enumerate(self.runs):
            revisions = run.revisions.order_by("passage")
            for revision, levels in zip(revisions, self.levels[system], strict=True):
                pair = make_item(self.intent, *SENTENCES, side="pair", revision=revision)
                for slot, rater in enumerate(self.raters):
                    judge(pair, rater, slot=slot + 1, intent=[int(levels[slot])])


def make_study(*systems: str, led_by: User | None = None) -> Campaign:
    campaign = Study(*systems, passages=8).attribution
    campaign.created_by = led_by
    campaign.save(update_fields=["created_by"])
    return campaign


def _scored(scores: NDArray[np.float64]) -> list[dict[str, object]]:
    return [
        {**span, "text": text, "decontextualized": text, "entailed": float(score), "evidence": 0}
        for span, text, score in zip(spans_of(*SENTENCES), SENTENCES, scores, strict=True)
    ]
