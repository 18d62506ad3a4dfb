"""A simulated study: systems over one dataset, judged in a campaign on attribution and in one on
intent. Raters' labels are drawn at random."""

from itertools import product
from typing import Any

import numpy as np

from annotation.models import Campaign, Judgment
from pipeline.models import Run
from tests.support.exports import judge, make_item
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
    make_user,
)

PASSAGES, SENTENCES, RATERS = 24, 3, 2


class Study:
    """What was drawn, as arrays by system and passage, and the campaigns made of it."""

    def __init__(self, *systems: str, **run_values: Any) -> None:
        systems = systems or ("efec", "rarr")
        chance = np.random.default_rng(11)
        shape = (len(systems), PASSAGES)
        self.auto = chance.random((*shape, 2)).round(6)  # before, after
        self.lev = chance.random(shape).round(6)
        said = (*shape, 2, SENTENCES, RATERS)  # side, sentence, rater
        both = chance.random(int(np.prod(said)) + int(np.prod(shape)) * RATERS) < 0.6
        self.said, kept = np.split(both, [int(np.prod(said))])
        self.said = self.said.reshape(said)
        # Of intent: 2 where it is kept, else 0 or 1.
        kept = kept.reshape(*shape, RATERS)
        self.levels = np.where(kept, 2, chance.integers(0, 2, size=kept.shape))
        self.raters = [make_user() for _ in range(RATERS)]
        self.dataset = make_dataset(slug="facts", name="Facts & dates")
        self.passages = [make_passage(self.dataset) for _ in range(PASSAGES)]
        corpus = make_corpus()
        self.runs = [
            make_run(dataset=self.dataset, system=system, corpus=corpus, state=Run.State.FINISHED,
                     **run_values)
            for system in systems
        ]  # fmt: skip
        self.attribution, self.intent = (
            Campaign.objects.create(slug=kind, name=kind, questionnaire=kind, sides=sides,
                                    state=Campaign.State.PRODUCTION)
            for kind, sides in (("attribution", "both"), ("intent", "pair"))
        )  # fmt: skip
        self.campaigns = [self.attribution, self.intent]
        for campaign in self.campaigns:
            campaign.runs.set(self.runs)
        for system, number in product(range(len(systems)), range(PASSAGES)):
            self._judge(system, number)

    def _judge(self, system: int, number: int) -> None:
        revision = make_revision(
            self.runs[system], passage=self.passages[number], state="done", text="One. Two. Three.",
            attribution_before=self.auto[system, number, 0],
            attribution_after=self.auto[system, number, 1],
            preservation=self.lev[system, number],
        )  # fmt: skip
        sentences = ("One.", "Two.", "Three.")
        for side, name in enumerate(("before", "after")):
            item = make_item(self.attribution, *sentences, side=name, revision=revision)
            for slot, rater in enumerate(self.raters):
                said = self.said[system, number, side, :, slot]
                judge(item, rater, *map(bool, said), slot=slot + 1)
        pair = make_item(self.intent, *sentences, side="pair", revision=revision)
        for slot, rater in enumerate(self.raters):
            given = judge(pair, rater, slot=slot + 1)
            Judgment.objects.create(
                assignment=given, criterion="intent", target=0,
                value=int(self.levels[system, number, slot]), updated_at=given.submitted_at,
            )  # fmt: skip
