"""A campaign's items with everything that was said about them, in bounded memory."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from django.db.models import Exists, F, OuterRef, Q
from django.utils.crypto import salted_hmac

from annotation.exporting.counts import Counts
from annotation.exporting.judged_items import Answer, JudgedItem, Work
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.raters.participants import state_now

BATCH = 100
"""Items read at a time; three more queries then read their assignments, judgments and settled
answers."""


PARTICIPATION = tuple(
    f"rater__participation__{name}" for name in ("state", "seen_at", "crowd__minutes")
)
"""What `state_now` takes, from an assignment."""


def read_items(
    campaign: Campaign, counts: Counts, *, run: int | None = None
) -> Iterator[JudgedItem]:
    """Every item of the campaign, or of one of its runs, also those that nobody has judged.

    The sides of a passage come one after the other, before first. `counts` grows as items are
    read.
    """
    last_revision = None
    rows = _rows(campaign, run)
    criteria = questionnaire_of(campaign).criteria
    unless = {each.name: each.unless for each in criteria if each.unless is not None}
    # Plain rows, batched by hand: model instances with prefetched relations point at each
    # other, and such a ring stays in memory until the garbage collector comes by.
    while batch := list(islice(rows, BATCH)):
        done = _work(row["pk"] for row in batch)
        of_batch = Adjudication.objects.filter(item__in=[row["pk"] for row in batch])
        settled = of_batch.by_target()
        for row in batch:
            pk = row["pk"]
            item = _item(row, tuple(done.get(pk, ())), settled.get(pk, {}), unless)
            counts.passages += item.revision_id != last_revision
            last_revision = item.revision_id
            counts.add(item, criteria)
            yield item


def pseudonym(campaign: Campaign, user_id: int) -> str:
    """A rater's name in files: the same throughout a campaign, and different in the next.

    Keyed with the installation's secret, so that nobody can identify a rater by trying ids.
    """
    salt = f"annotation.exporting.rater.{campaign.pk}"
    return "rater-" + salted_hmac(salt, str(user_id), algorithm="sha256").hexdigest()[:12]


def _rows(campaign: Campaign, run: int | None) -> Iterator[dict[str, Any]]:
    of_run = {} if run is None else {"revision__run": run}
    to_count = Assignment.objects.submitted().filter(item=OuterRef("pk"), purpose="")
    return (
        Item.objects.filter(campaign=campaign, **of_run)  # type: ignore[return-value]  # plain dictionaries
        # Items that only train or check raters are not part of the dataset.
        .exclude(~Q(use="") & ~Exists(to_count))
        # The unique index over (campaign, revision, side) gives this order without a sort.
        .order_by("revision_id", "-side")
        .values(
            "pk", "revision_id", "side", "position", "context", "text", "sentences", "evidence",
            "citations", "second_text", "first_side", "phase", "inclusion",
            dataset=F("revision__run__dataset__slug"),
            system=F("revision__run__system"),
            run=F("revision__run_id"),
            external_id=F("passage__external_id"),
            original_text=F("revision__original_text"),
            source=F("passage__source"),
            found=F("revision__result__report__evidence"),
        )
        .iterator(chunk_size=BATCH)
    )  # fmt: skip


def _work(items: Iterable[int]) -> dict[int, list[Work]]:
    """What was submitted for each of the items."""
    answers: dict[int, list[Answer]] = defaultdict(list)
    # Answers given for training or as gold are in a file of their own (`exporting.checks`).
    assignments = Assignment.objects.submitted().filter(item__in=list(items), purpose="")
    judgments = Judgment.objects.filter(assignment__in=assignments).exclude(value=None)
    fields = ("assignment_id", "criterion", "target", "value", "text", "guidelines_version")
    for assignment_id, criterion, target, value, text, guidelines in judgments.order_by(
        "assignment_id", "criterion", "target"
    ).values_list(*fields):
        answers[assignment_id].append(
            Answer(
                criterion=criterion, target=target, value=value, text=text, guidelines=guidelines
            )
        )
    work: dict[int, list[Work]] = defaultdict(list)
    for row in assignments.order_by(F("slot").asc(nulls_last=True), "pk").values(
        "pk", "item_id", "rater_id", "slot", "submitted_at", "comment", "edited_at",
        "active_ms", "idle_ms", "clicks", "keys", "shared_words", *PARTICIPATION,
    ):  # fmt: skip
        said = tuple(answers.get(row.pop("pk"), ()))
        became = state_now(*(row.pop(name) for name in PARTICIPATION))
        work[row.pop("item_id")].append(Work(answers=said, participant=became, **row))
    return work


def _item(
    row: dict[str, Any],
    work: tuple[Work, ...],
    settled: Mapping[tuple[str, int], Adjudication],
    unless: Mapping[str, tuple[str, int]],
) -> JudgedItem:
    del row["pk"]
    found, external_id = row.pop("found"), row.pop("external_id")
    text = row["text"]
    sentences = tuple(text[each["start"] : each["end"]] for each in row.pop("sentences"))
    return JudgedItem(
        **row,
        passage_id=external_id,
        sentences=sentences,
        document_ids=_document_ids(row["evidence"], found),
        work=work,
        settled=settled,
        unless=unless,
    )


def _document_ids(evidence: Sequence[Mapping[str, Any]], found: Any) -> tuple[str, ...]:
    """`<document>#<offset>` of each snippet; empty where the report no longer has it.

    An item's evidence was copied from its revision's report, in the same order.
    """
    report = found if isinstance(found, list) else []
    ids = []
    for index, shown in enumerate(evidence):
        snippet = report[index] if index < len(report) else {}
        same = snippet.get("text") == shown["text"] and snippet.get("document_id")
        ids.append(f"{snippet['document_id']}#{snippet.get('start', 0)}" if same else "")
    return tuple(ids)
