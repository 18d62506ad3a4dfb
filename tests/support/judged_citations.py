"""Answers whose citations are judged by a scorer and by people."""

from typing import Any

from annotation.models import Assignment, Campaign, Item
from pipeline.models import Revision
from rarrweb.accounts.models import User
from tests.support.exports import judge, make_campaign, make_item
from tests.support.factories import make_passage, make_revision, make_run, spans_of

ANSWER = ("It opened [1].", "It burnt [1][2].", "So they say.", "It has seats [2][3].")
# By statement: the numbers that it cites, the probability that they entail it, the irrelevant.
SCORED = [([1], 0.9, []), ([1, 2], 0.8, [2]), ([], None, []), ([2, 3], 0.3, [])]
# People: which sentences are supported, and what each citation does for its own by itself.
DECISIONS = {0: 1, 1: 1, 3: 1}
LEVELS = (2, 2, 1, 2, 0)


def make_answer(
    campaign: Campaign,
    sentences: tuple[str, ...] = ANSWER,
    scored: list[Any] = SCORED,
    *,
    sources: tuple[int, ...] = (1, 2, 3, 4),
) -> Item:
    """Return an answer with automatic decisions, and its item, for these `sources`."""
    run = campaign.runs.get()
    statements = [
        {**span, "sources": cited[:3], "wrong": 0, "probability": share, "irrelevant": irrelevant}
        for span, (cited, share, irrelevant) in zip(spans_of(*sentences), scored, strict=True)
    ]
    revision = make_revision(
        run,
        passage=make_passage(run.dataset, text="", context="When?"),
        original_text=" ".join(sentences),
        state=Revision.State.DONE,
        citation_scores={"statements": statements},
    )
    citations = [
        {"sentence": position, "evidence": sources.index(number)}
        for position, (cited, _, _) in enumerate(scored)
        for number in cited
        if number in sources
    ]
    evidence = [{"title": "", "url": "", "text": "So.", "number": each} for each in sources]
    cited = {"citations": citations, "evidence": evidence}
    return make_item(campaign, *sentences, side="before", revision=revision, **cited)


def say(
    item: Item, rater: User, recall: dict[int, int], levels: tuple[int, ...], **values: Any
) -> Assignment:
    return judge(item, rater, citation_recall=recall, citation_precision=levels, **values)


def make_citation_campaign(**values: Any) -> Campaign:
    run = make_run(system="vanilla", config={"system": "vanilla"})
    return make_campaign(runs=[run], questionnaire="citation", sides="before", **values)
