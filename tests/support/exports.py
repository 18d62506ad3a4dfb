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
from tests.support.factories import make_passage, make_revision, make_run, make_user, spans_of

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
    campaign: Campaign,
    *sentences: str,
    side: str = "after",
    revision: Revision | None = None,
    **values: Any,
) -> Item:
    sentences = sentences or ("It flows west.", "It is 120 km long.")
    text = " ".join(sentences)
    if revision is None:
        run = campaign.runs.get()
        passage = make_passage(run.dataset, text=text, context="Where does it flow?")
        revision = make_revision(run, passage=passage, text=text)
    item = Item.objects.create(
        **{
            "campaign": campaign,
            "revision": revision,
            "passage": revision.passage,
            "side": side,
            "position": campaign.items.count() + 1,
            "context": revision.context,
            "text": text,
            "sentences": spans_of(*sentences),
            "evidence": EVIDENCE,
            **values,
        }
    )
    Campaign.objects.filter(pk=campaign.pk).update(item_count=campaign.items.count())
    return item


def judge(
    item: Item,
    rater: User,
    *attributable: int | None,
    slot: int | None = 1,
    submitted: bool = True,
    comment: str = "",
    **others: Values,
) -> Assignment:
    """Judge each sentence's attribution, and `others` by criterion."""
    times = {"claimed_at": NOW, "lease_until": NOW, "submitted_at": NOW if submitted else None}
    assignment = Assignment.objects.create(
        item=item, rater=rater, slot=slot, comment=comment, is_late=slot is None, **times
    )
    Judgment.objects.bulk_create(
        Judgment(
            assignment=assignment, criterion=criterion, target=target, value=value, updated_at=NOW
        )
        for criterion, values in {"attributable": attributable, **others}.items()
        for target, value in (values.items() if isinstance(values, Mapping) else enumerate(values))
    )
    return assignment


def adjudicate(item: Item, target: int, value: int, criterion: str = "attributable") -> None:
    about = {"item": item, "criterion": criterion, "target": target}
    Adjudication.objects.create(**about, value=value, reason="So it is.", updated_at=NOW)


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
    frozen = {"side": "after", "text": text, "sentences": spans, "evidence": EVIDENCE}
    rows = Item.objects.bulk_create(
        Item(campaign=campaign, revision=each, passage_id=each.passage_id, position=at, **frozen)
        for at, each in enumerate(revisions, 1)
    )
    submitted = {"slot": 1, "claimed_at": NOW, "lease_until": NOW, "submitted_at": NOW}
    assignments = Assignment.objects.bulk_create(
        Assignment(item=item, campaign=campaign, rater=rater, **submitted) for item in rows
    )
    answer = {"criterion": ABOUT.get(kind, "attributable"), "value": 1, "updated_at": NOW}
    answer["text"] = text if kind == "manual_revision" else ""
    Judgment.objects.bulk_create(
        Judgment(assignment=each, target=target, **answer)
        for each in assignments
        for target in (0, 1)
    )
    return campaign
