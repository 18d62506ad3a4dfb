"""A campaign with judged items, for the tests of exports."""

import json
from datetime import UTC, datetime
from typing import Any

from annotation.exporting import Export, load_format
from annotation.models import Assignment, Campaign, Item, Judgment
from pipeline.models import Revision, Run
from rarrweb.accounts.models import User
from tests.support.factories import make_passage, make_revision, make_run

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
EVIDENCE = [
    {"title": "River Ribble", "url": "https://example.org/ribble", "text": "It runs west."},
    {"title": "Irish Sea", "url": "", "text": "A sea between two islands."},
]


def text_of(campaign: Campaign, name: str = "hagrid") -> str:
    """The campaign as a file of that format."""
    return b"".join(Export(campaign=campaign, format=load_format(name)).chunks()).decode()


def lines_of(campaign: Campaign, name: str = "hagrid") -> list[dict[str, Any]]:
    return [json.loads(line) for line in text_of(campaign, name).splitlines()]


def make_campaign(**values: Any) -> Campaign:
    run: Run = values.pop("run", None) or make_run(
        config={"system": "rarr", "rarr": {"report_size": 5}}, versions={"spacy": "3.8"}
    )
    campaign = Campaign.objects.create(
        **{
            "slug": "rivers",
            "name": "Rivers",
            "sides": "both",
            "state": Campaign.State.PRODUCTION,
            **values,
        }
    )
    campaign.runs.add(run)
    return campaign


def make_item(
    campaign: Campaign, *sentences: str, side: str = "after", revision: Revision | None = None,
    **values: Any,
) -> Item:  # fmt: skip
    """An item whose text is `sentences`, joined by a space."""
    sentences = sentences or ("It flows west.", "It is 120 km long.")
    text = " ".join(sentences)
    spans, start = [], 0
    for sentence in sentences:
        spans.append({"start": start, "end": start + len(sentence)})
        start += len(sentence) + 1
    if revision is None:
        run = campaign.runs.get()
        passage = make_passage(run.dataset, text=text, context="Where does it flow?")
        revision = make_revision(run, passage=passage, text=text)
    item = Item.objects.create(
        **{
            "campaign": campaign, "revision": revision,
            "passage": revision.passage, "side": side,
            "position": campaign.items.count() + 1, "context": revision.context,
            "text": text, "sentences": spans, "evidence": EVIDENCE, **values,
        }
    )  # fmt: skip
    Campaign.objects.filter(pk=campaign.pk).update(item_count=campaign.items.count())
    return item


def judge(
    item: Item, rater: User, *values: bool | None, useful: tuple[bool | None, ...] = (),
    slot: int | None = 1, submitted: bool = True, comment: str = "",
) -> Assignment:  # fmt: skip
    """`values` are what the rater said of each sentence, `useful` of each piece of evidence."""
    assignment = Assignment.objects.create(
        item=item, rater=rater, slot=slot, claimed_at=NOW, lease_until=NOW, comment=comment,
        submitted_at=NOW if submitted else None, is_late=slot is None,
    )  # fmt: skip
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment, criterion=criterion, target=target, value=value, updated_at=NOW
        )
        for criterion, answers in (("attributable", values), ("useful", useful))
        for target, value in enumerate(answers)
    )
    return assignment
