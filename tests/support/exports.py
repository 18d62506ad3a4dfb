"""A campaign with judged items and its exported files."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from annotation.exporting import Export, load_format
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from pipeline.models import Passage, Revision, Run
from rarrweb.accounts.models import User
from tests.support.factories import make_passage, make_revision, make_run, make_user

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
EVIDENCE = [
    {"title": "River Ribble", "url": "https://example.org/ribble", "text": "It runs west."},
    {"title": "Irish Sea", "url": "", "text": "A sea between two islands."},
]
Values = Sequence[int | None] | Mapping[int, int]
"""By the target."""


def bytes_of(campaign: Campaign, name: str = "hagrid", **options: Any) -> bytes:
    return b"".join(Export(campaign=campaign, format=load_format(name), **options).chunks())


def text_of(campaign: Campaign, name: str = "hagrid", **options: Any) -> str:
    return bytes_of(campaign, name, **options).decode("utf-8-sig")


def lines_of(campaign: Campaign, name: str = "hagrid", **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text_of(campaign, name, **options).splitlines()]


def rows_of(campaign: Campaign, name: str = "csv") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(campaign, name), newline="")))


def manifest_of(campaign: Campaign, name: str = "csv", **options: Any) -> dict[str, Any]:
    export = Export(campaign=campaign, format=load_format(name), **options)
    for _ in export.chunks():
        pass
    return export.manifest()


def make_campaign(*, runs: Sequence[Run] = (), **values: Any) -> Campaign:
    config = {"system": "rarr", "rarr": {"report_size": 5}}
    runs = runs or [make_run(config=config, versions={"spacy": "3.8"})]
    campaign = Campaign.objects.create(
        **{
            "slug": "rivers",
            "name": "Rivers",
            "sides": "both",
            "state": Campaign.State.PRODUCTION,
            **values,
        }
    )
    campaign.runs.set(runs)
    return campaign


def make_item(
    campaign: Campaign, *sentences: str, side: str = "after", revision: Revision | None = None,
    **values: Any,
) -> Item:  # fmt: skip
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
    item: Item, rater: User, *attributable: int | None, slot: int | None = 1,
    submitted: bool = True, comment: str = "", **others: Values,
) -> Assignment:  # fmt: skip
    """Judge each sentence's attribution, and `others` by criterion."""
    assignment = Assignment.objects.create(
        item=item, rater=rater, slot=slot, claimed_at=NOW, lease_until=NOW, comment=comment,
        submitted_at=NOW if submitted else None, is_late=slot is None,
    )  # fmt: skip
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment, criterion=criterion, target=target, value=value, updated_at=NOW
        )
        for criterion, values in {"attributable": attributable, **others}.items()
        for target, value in (values.items() if isinstance(values, Mapping) else enumerate(values))
    )
    return assignment


def adjudicate(item: Item, target: int, value: int, criterion: str = "attributable") -> None:
    Adjudication.objects.create(
        item=item,
        criterion=criterion,
        target=target,
        value=value,
        reason="So it is.",
        updated_at=NOW,
    )


ABOUT = {"citation": "citation_recall", "manual_revision": "revision"}
"""A criterion of each kind that is not about attribution."""


def make_many(items: int, *, text: str = "One. Two.", name: str = "csv") -> Campaign:
    """A campaign of `items` judged items for the format, written in bulk."""
    kind = next(iter(load_format(name).kinds), "attribution")
    campaign = make_campaign(item_count=items, questionnaire=kind)
    rater = make_user()
    run = campaign.runs.get()
    passages = Passage.objects.bulk_create(
        Passage(dataset=run.dataset, external_id=f"p{n:05}", text=text, content_hash="")
        for n in range(items)
    )
    revisions = Revision.objects.bulk_create(
        Revision(run=run, passage=passage, text=text, original_text=text) for passage in passages
    )
    spans = [{"start": 0, "end": 4}, {"start": 5, "end": len(text)}]
    rows = Item.objects.bulk_create(
        Item(
            campaign=campaign, revision=revision, passage_id=revision.passage_id, side="after",
            position=position, text=text, sentences=spans, evidence=EVIDENCE,
        )
        for position, revision in enumerate(revisions, 1)
    )  # fmt: skip
    assignments = Assignment.objects.bulk_create(
        Assignment(
            item=item, campaign=campaign, rater=rater, slot=1, claimed_at=NOW, lease_until=NOW,
            submitted_at=NOW,
        )
        for item in rows
    )  # fmt: skip
    Judgment.objects.bulk_create(
        Judgment(
            assignment=each, criterion=ABOUT.get(kind, "attributable"), target=target, value=1,
            text=text if kind == "manual_revision" else "", updated_at=NOW,
        )
        for each in assignments
        for target in (0, 1)
    )  # fmt: skip
    return campaign
