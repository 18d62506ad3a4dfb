"""Read a campaign's items with all work on them, in bounded memory."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.exporting.context import ExportContext
from annotation.exporting.judged_items import JudgedItem, SubmittedAnswer, SubmittedWork
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.results.scored_statements import STATEMENTS
from pipeline.importing.hagrid import line_key

JUDGED_ITEM = Coalesce("shared_with", "pk")
BATCH = 100
"""Items read at a time, with three more queries for their work."""


PARTICIPATION = "rater__participation__state"
"""From an assignment; None for raters with an account."""


def items_to_export(campaign: Campaign) -> QuerySet[Item]:
    """Select all items but those that only train or check raters."""
    to_count = Assignment.objects.submitted().filter(item=OuterRef("judged_item"), purpose="")
    return (
        Item.objects.filter(campaign=campaign)
        .alias(judged_item=JUDGED_ITEM, judged_use=Coalesce("shared_with__use", "use"))
        .exclude(~Q(judged_use="") & ~Exists(to_count))
    )


def work_to_export(campaign: Campaign) -> QuerySet[Assignment]:
    return Assignment.objects.submitted().filter(item__campaign=campaign, purpose="")


def judgments_to_export(campaign: Campaign) -> QuerySet[Judgment]:
    return Judgment.objects.filter(assignment__in=work_to_export(campaign)).exclude(value=None)


def with_sharing(rows: QuerySet[Any], *, item: str) -> int:
    """Count the rows, once more for each item that shares those of their `item`."""
    counts = rows.aggregate(own=Count("pk", distinct=True), more=Count(f"{item}__sharing"))
    return int(counts["own"] + counts["more"])


def read_items(
    context: ExportContext,
    *,
    run: int | None = None,
    with_import: bool = False,
    with_scores: bool = False,
    by_passage: bool = False,
) -> Iterator[JudgedItem]:
    """Yield every item of the campaign or of `run`, judged or not; `context.counts` grows.

    The sides of a passage follow each other, before first; `by_passage`, so does what several runs
    made of it, and a side before revision that several of them share comes once. `with_import` also
    reads the imported source and the evidence's documents, which doubles the time.
    """
    unrevised = set[int]()
    criteria = questionnaire_of(context.campaign).criteria
    shared: dict[str, Any] = {
        "criteria": {each.name: each for each in criteria},
        "labels": context.labels,
    }
    imported: dict[str, Any] = {}
    if with_import:
        imported["original_text"] = F("revision__original_text")
        imported["report"] = F("revision__result__report__evidence")
        imported["source"] = F("passage__source")
    if with_scores:
        imported["statements"] = F(STATEMENTS)
    rows = _rows(context, run, imported, by_passage=by_passage)
    # Plain rows: model instances with prefetched relations are cyclic garbage.
    while batch := list(islice(rows, BATCH)):
        judged = [row["judged_item"] for row in batch]
        done = _work(judged)
        adjudicated = Adjudication.objects.filter(item__in=judged).by_target()
        for row in batch:
            pk = row.pop("judged_item")
            if by_passage and row["side"] == Item.Side.BEFORE:
                if pk in unrevised:
                    continue
                unrevised.add(pk)
            context.counts.passages.add(row["passage_id"])
            adjudications = adjudicated.get(pk, {})
            item = _item(row, work=tuple(done.get(pk, ())), adjudications=adjudications, **shared)
            context.counts.add(item, criteria)
            yield item


def _rows(
    context: ExportContext, run: int | None, more: Mapping[str, F], *, by_passage: bool
) -> Iterator[dict[str, Any]]:
    part = context.part
    items = items_to_export(context.campaign)
    if run is not None:
        items = items.filter(revision__run=run)
    # An index over revisions gives this order almost without a sort.
    order = (*(["passage_id"] if by_passage else []), "revision_id", "-side")
    items = items.order_by(*order)
    columns = ["passage_id", "revision_id", "side", "position", "context", "text"]
    columns += ["sentences", "evidence", "citations", "second_text", "first_side"]
    columns += ["phase", "inclusion"]
    query: QuerySet[Item, Any] = Item.objects.order_by(*order).values(
        *columns,
        judged_item=JUDGED_ITEM,
        shared_position=F("shared_with__position"),
        dataset=F("revision__run__dataset__slug"),
        system=F("revision__run__system"),
        run=F("revision__run_id"),
        external_id=F("passage__external_id"),
        passage_format=F("passage__format"),
        **more,
    )
    rows = chain.from_iterable(_pages(items, query, by_passage=by_passage))
    if part is None:
        return rows
    return (row for row in rows if part.holds(line_key(row["external_id"], row["passage_format"])))


def _pages(
    items: QuerySet[Item], query: QuerySet[Item, Any], *, by_passage: bool
) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of `query` for `items` in keyset pages of `BATCH`.

    An open cursor would block SQLite's checkpoints and this connection's writes, and PostgreSQL
    would copy the whole result before the first row.
    """
    rest = items
    while page := list(query.filter(pk__in=rest.values("pk")[:BATCH])):
        last = dict(page[-1])  # consumers change the rows
        yield page
        if len(page) < BATCH:
            return
        done = Q(revision_id__lt=last["revision_id"])
        done |= Q(revision_id=last["revision_id"], side__gte=last["side"])
        if by_passage:
            rest = items.filter(passage_id__gte=last["passage_id"])
            rest = rest.exclude(Q(passage_id=last["passage_id"]) & done)
        else:
            rest = items.filter(revision_id__gte=last["revision_id"]).exclude(done)


def _work(items: Sequence[int]) -> dict[int, list[SubmittedWork]]:
    # Training and gold answers are in their own file (`exporting.checks`).
    columns = ["pk", "item_id", "rater_id", "slot", "submitted_at", "comment", "edited_at"]
    columns += ["active_ms", "idle_ms", "clicks", "keys", PARTICIPATION]
    assignments: list[Any] = list(
        Assignment.objects.submitted()
        .filter(item__in=items, purpose="")
        .order_by(F("slot").asc(nulls_last=True), "pk")
        .values_list(*columns)
    )
    answers: dict[int, list[SubmittedAnswer]] = {row[0]: [] for row in assignments}
    judgments = Judgment.objects.filter(assignment__in=list(answers)).exclude(value=None)
    rows: Iterator[Any] = judgments.order_by("assignment_id", "criterion", "target").values_list(
        "assignment_id", "criterion", "target", "value", "text", "guidelines_version"
    )  # type: ignore[assignment]  # plain tuples
    for judged in rows:
        answers[judged[0]].append(SubmittedAnswer._make(judged[1:]))
    work: dict[int, list[SubmittedWork]] = defaultdict(list)
    for row in assignments:
        pk, item, rater, slot, submitted_at, comment, edited_at, *more = row
        *measured, state = more
        measured.append(state or "")
        given = tuple(answers[pk])
        work[item].append(
            SubmittedWork(rater, slot, submitted_at, comment, given, edited_at, *measured)
        )
    return work


def _item(row: dict[str, Any], **shared: Any) -> JudgedItem:
    text, report, external_id = row["text"], row.pop("report", None), row.pop("external_id")
    del row["passage_id"]
    spans = row.pop("sentences")
    sentences = tuple(text[each["start"] : each["end"]] for each in spans)
    documents = _document_ids(row["evidence"], report)
    return JudgedItem(
        **row,
        passage_id=external_id,
        sentences=sentences,
        spans=spans,
        document_ids=documents,
        **shared,
    )


def _document_ids(evidence: Sequence[Mapping[str, Any]], report: Any) -> tuple[str, ...]:
    """Return `<document>#<offset>` of each snippet; empty where the report has changed."""
    report = report if isinstance(report, list) else []
    ids = []
    for index, copied in enumerate(evidence):
        snippet = report[index] if index < len(report) else {}
        same = snippet.get("text") == copied["text"] and snippet.get("document_id")
        ids.append(f"{snippet['document_id']}#{snippet.get('start', 0)}" if same else "")
    return tuple(ids)
