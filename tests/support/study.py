"""A small study for charts: systems over one dataset, scored by a model, judged by two raters."""

import numpy as np

from annotation.models import Campaign
from pipeline.models import Run
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_item
from tests.support.factories import make_dataset, make_passage, make_revision, make_run, make_user

SENTENCES = ("The bridge opened in 1932.", "It carries two lines.", "Nobody painted it.")
TEXT = " ".join(SENTENCES)


def make_study(
    *systems: str, passages: int = 8, led_by: User | None = None, slug: str = "study"
) -> Campaign:
    """An attribution campaign on both sides; people say yes the more readily, the higher the score
    of a sentence is."""
    chance = np.random.default_rng(13)
    dataset = make_dataset(name=f"Facts of {slug}")
    texts = [make_passage(dataset, text=TEXT) for _ in range(passages)]
    campaign = Campaign.objects.create(
        slug=slug, name="A study", sides="both", state=Campaign.State.PRODUCTION,
        created_by=led_by, raters_per_item=2,
    )  # fmt: skip
    raters = [make_user(), make_user()]
    for system in systems:
        run = make_run(dataset=dataset, system=system, state=Run.State.FINISHED)
        campaign.runs.add(run)
        for passage in texts:
            scores = {side: chance.random(3).round(4) for side in ("before", "after")}
            scores["after"] = np.sqrt(scores["after"]).round(4)
            revision = make_revision(
                run, passage=passage, state="done", text=TEXT, is_changed=True,
                original_text=TEXT,
                attribution_before=float(scores["before"].mean()),
                attribution_after=float(scores["after"].mean()),
                preservation=float(chance.uniform(0.6, 1)),
                sentences={side: _scored(of) for side, of in scores.items()},
            )  # fmt: skip
            for side in ("before", "after"):
                item = make_item(campaign, *SENTENCES, side=side, revision=revision, wanted=2)
                for slot, rater in enumerate(raters, start=1):
                    said = chance.random(3) < scores[side]
                    judge(item, rater, *map(bool, said), slot=slot)
    return campaign


def _scored(scores: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> list[dict[str, object]]:
    """As `pipeline.engine.auto_ais.sentences_to_plain` writes them."""
    found: list[dict[str, object]] = []
    start = 0
    for text, score in zip(SENTENCES, scores, strict=True):
        found.append(
            {
                "start": start, "end": start + len(text), "text": text, "decontextualized": text,
                "entailed": float(score), "evidence": 0,
            }
        )  # fmt: skip
        start += len(text) + 1
    return found
