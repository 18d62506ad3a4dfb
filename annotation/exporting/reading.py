"""A campaign's items with everything that was said about them, in bounded memory."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import Exists, F, OuterRef, Q
from django.utils.crypto import salted_hmac

from annotation.exporting.labels import Label, majority
from annotation.models import Adjudication, Assignment, Campaign, Item, Judgment
from annotation.participants import state_now
from annotation.questionnaires import questionnaire_of

BATCH = 100
"""Items read at a time, and then their assignments, judgments and settled answers: three more
queries."""


PARTICIPATION = tuple(
    f"rater__participation__{name}" for name in ("state", "seen_at", "crowd__minutes")
)
"""What `state_now` takes, from an assignment."""


@dataclass(slots=True, kw_only=True)
class Counts:
    """What an export has written so far; complete once the export is."""

    lines: int = 0
    """Lines of the file after its header, if it has one."""
    passages: int = 0
    items: int = 0
    sentences: int = 0
    sentences_unjudged: int = 0
    """Sentences without a single judgment in time."""
    sentences_tied: int = 0
    """Sentences about which as many raters say yes as no, also those that were adjudicated."""
    sentences_adjudicated: int = 0
    """Sentences whose label is an adjudicator's."""
    assignments: int = 0
    """Submitted ones, late ones included."""
    assignments_late: int = 0
    judgments: int = 0
    judgments_late: int = 0
    raters: set[int] = field(default_factory=set)
    guidelines: Counter[str] = field(default_factory=Counter)
    """Version of the instructions to how many judgments were given under it."""

    def to_plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return plain | {"raters": len(self.raters), "guidelines": dict(self.guidelines)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a rater said about one target; an answer that was taken back is none."""

    criterion: str
    target: int
    value: int
    """A level of the criterion."""
    text: str = ""
    """What the rater wrote, where the criterion asks for a text."""
    guidelines: int | None = None
    """The version of the instructions that the rater had read; None where nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one rater submitted for one item."""

    rater_id: int
    slot: int | None
    """None for late work: the slot had gone to somebody else."""
    submitted_at: datetime
    comment: str
    answers: tuple[Answer, ...]
    edited_at: datetime | None = None
    """When it was last changed after it was handed in; None where it never was."""
    active_ms: int = 0
    """Time at work on the item's page; this and the next three are 0 where nobody measured, as
    in work that came in over the API."""
    idle_ms: int = 0
    clicks: int = 0
    keys: int = 0
    participant: str = ""
    """What became of a crowd's rater (`annotation.participants`); empty for one with an account."""

    @property
    def is_timed(self) -> bool:
        return self.active_ms + self.idle_ms > 0

    @property
    def is_late(self) -> bool:
        return self.slot is None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledAnswer:
    """What an adjudicator settled on, where raters differ."""

    criterion: str
    target: int
    value: int
    """A level of the criterion."""
    reason: str
    adjudicator_id: int | None
    """None where the account is gone."""
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """An item with the work on it that was submitted, by slot, late work last."""

    revision_id: int
    side: str
    position: int
    context: str
    text: str
    sentences: tuple[str, ...]
    evidence: Sequence[Mapping[str, str]]
    """Title, url and text of each snippet that raters see."""
    document_ids: tuple[str, ...]
    """Parallel to `evidence`: which stretch of which document it is; "" if unknown."""
    passage_id: str
    """The passage's own id in its dataset."""
    original_text: str
    imported: Mapping[str, Any]
    """What the imported line said of this passage, if it came from a HAGRID file."""
    work: tuple[Work, ...]
    settled: tuple[SettledAnswer, ...] = ()
    citations: Sequence[Mapping[str, int]] = ()
    """Which sentence cites which piece of evidence, where the questionnaire asks."""
    second_text: str = ""
    """Of a pair, passage B."""
    first_side: str = ""
    """Of a pair, which side stands as passage A."""
    phase: str = ""
    """In which phase of the campaign it was judged."""
    inclusion: float = 1.0
    """The chance that its passage had of being drawn."""
    dataset: str = ""
    """The slug of the dataset that it is of, and the system and the run that revised it."""
    system: str = ""
    run: int = 0

    @property
    def origin(self) -> dict[str, str | int]:
        """Where it comes from: what tells two lines of one passage apart, in a campaign over
        several runs."""
        return {"dataset": self.dataset, "system": self.system, "run": self.run}

    @property
    def weight(self) -> float:
        """For how many passages its own stands."""
        return round(1 / self.inclusion, 6)

    unless: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """`Criterion.unless` of the criteria that have one, by their names."""

    def levels(self, criterion: str, target: int) -> list[int]:
        """The answers that count, as levels: of raters who hold a slot."""
        return [
            answer.value
            for work in self.work
            if not work.is_late
            for answer in work.answers
            if answer.criterion == criterion and answer.target == target
        ]

    def settled_as(self, criterion: str, target: int) -> int | None:
        """The level that an adjudicator settled on; None where nobody did."""
        for answer in self.settled:
            if answer.criterion == criterion and answer.target == target:
                return answer.value
        return None

    def label(self, criterion: str, target: int) -> Label:
        """The settled answer to a question of yes or no, or else what most raters said.

        Only a full yes is 1: where an answer to another question leaves nothing to ask (a
        sentence that cannot be understood), the label is 0.
        """
        settled = self.settled_as(criterion, target)
        if settled is not None:
            return int(settled == 1)
        if criterion in self.unless:
            name, value = self.unless[criterion]
            if self.settled_as(name, target) == value:
                return 0
        return majority(self.votes(criterion, target))

    def votes(self, criterion: str, target: int) -> list[bool]:
        """The answers to a question of yes or no that count: of raters who hold a slot.

        Where it was settled that the question can be asked, those who said otherwise have no vote.
        """
        votes = [value == 1 for value in self._asked(criterion, target)]
        if criterion in self.unless:
            name, value = self.unless[criterion]
            if self.settled_as(name, target) in (None, value):
                votes += [False for said in self.levels(name, target) if said == value]
        return votes

    def _asked(self, criterion: str, target: int) -> list[int]:
        """`levels`, without those of raters who also said that there is nothing to ask."""
        if criterion not in self.unless:
            return self.levels(criterion, target)
        name, value = self.unless[criterion]
        return [
            said[criterion, target]
            for work in self.work
            if not work.is_late
            for said in [{(each.criterion, each.target): each.value for each in work.answers}]
            if (criterion, target) in said and said.get((name, target)) != value
        ]


def read_items(
    campaign: Campaign, counts: Counts, *, run: int | None = None
) -> Iterator[JudgedItem]:
    """Every item of the campaign, or of one of its runs; the two sides of a passage one after the
    other, before first.

    Items nobody has judged come too. `counts` grows as items are read.
    """
    last_revision = None
    rows = _rows(campaign, run)
    criteria = questionnaire_of(campaign).criteria
    unless = {each.name: each.unless for each in criteria if each.unless is not None}
    # Plain rows, batched by hand: model instances with prefetched relations point at each
    # other, and such a ring stays in memory until the garbage collector comes by.
    while batch := list(islice(rows, BATCH)):
        done = _work(row["pk"] for row in batch)
        settled = _settled(row["pk"] for row in batch)
        for row in batch:
            pk = row["pk"]
            said, decided = tuple(done.get(pk, ())), tuple(settled.get(pk, ()))
            item = _item(row, said, decided, unless)
            counts.passages += item.revision_id != last_revision
            last_revision = item.revision_id
            _count(item, counts)
            yield item


def pseudonym(campaign: Campaign, user_id: int) -> str:
    """A rater's name in a file: the same throughout a campaign, another one in the next.

    Keyed with the installation's secret, so nobody can find out whose it is by trying ids.
    """
    salt = f"annotation.exporting.rater.{campaign.pk}"
    return "rater-" + salted_hmac(salt, str(user_id), algorithm="sha256").hexdigest()[:12]


def _rows(campaign: Campaign, run: int | None) -> Iterator[dict[str, Any]]:
    of_run = {} if run is None else {"revision__run": run}
    to_count = Assignment.objects.submitted().filter(item=OuterRef("pk"), purpose="")
    return (
        Item.objects.filter(campaign=campaign, **of_run)
        # One that only trains or checks raters is no part of the dataset.
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
            imported=F("passage__source__answer"),
            found=F("revision__result__report__evidence"),
        )
        .iterator(chunk_size=BATCH)
    )  # fmt: skip


def _work(items: Iterable[int]) -> dict[int, list[Work]]:
    """What was submitted for each of the items."""
    answers: dict[int, list[Answer]] = defaultdict(list)
    # Training and gold items judged as such have a file of their own (`exporting.checks`).
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
        "active_ms", "idle_ms", "clicks", "keys", *PARTICIPATION,
    ):  # fmt: skip
        said = tuple(answers.get(row.pop("pk"), ()))
        became = state_now(*(row.pop(name) for name in PARTICIPATION))
        work[row.pop("item_id")].append(Work(answers=said, participant=became, **row))
    return work


def _settled(items: Iterable[int]) -> dict[int, list[SettledAnswer]]:
    """What was settled about each of the items."""
    settled: dict[int, list[SettledAnswer]] = defaultdict(list)
    rows = Adjudication.objects.filter(item__in=list(items)).order_by("criterion", "target")
    for row in rows.values(
        "item_id", "criterion", "target", "value", "reason", "adjudicator_id", "updated_at"
    ):
        settled[row.pop("item_id")].append(SettledAnswer(**row))
    return settled


def _item(
    row: dict[str, Any],
    work: tuple[Work, ...],
    settled: tuple[SettledAnswer, ...],
    unless: Mapping[str, tuple[str, int]],
) -> JudgedItem:
    del row["pk"]
    found, imported, external_id = row.pop("found"), row.pop("imported"), row.pop("external_id")
    text = row["text"]
    sentences = tuple(text[each["start"] : each["end"]] for each in row.pop("sentences"))
    return JudgedItem(
        **row,
        passage_id=external_id,
        sentences=sentences,
        document_ids=_document_ids(row["evidence"], found),
        imported=imported if isinstance(imported, dict) else {},
        work=work,
        settled=settled,
        unless=unless,
    )


def _document_ids(evidence: Sequence[Mapping[str, Any]], found: Any) -> tuple[str, ...]:
    """`<document>#<offset>` of each snippet, where the report still tells it.

    An item's evidence was copied from its revision's report, in the same order.
    """
    report = found if isinstance(found, list) else []
    ids = []
    for index, shown in enumerate(evidence):
        snippet = report[index] if index < len(report) else {}
        same = snippet.get("text") == shown["text"] and snippet.get("document_id")
        ids.append(f"{snippet['document_id']}#{snippet.get('start', 0)}" if same else "")
    return tuple(ids)


def _count(item: JudgedItem, counts: Counts) -> None:
    counts.items += 1
    for work in item.work:
        counts.assignments += 1
        counts.assignments_late += work.is_late
        counts.judgments += len(work.answers)
        counts.judgments_late += len(work.answers) if work.is_late else 0
        counts.raters.add(work.rater_id)
        counts.guidelines.update(str(each.guidelines or "unknown") for each in work.answers)
    for target in range(len(item.sentences)):
        votes = item.votes(Judgment.Criterion.ATTRIBUTABLE, target)
        counts.sentences += 1
        counts.sentences_unjudged += not votes
        counts.sentences_tied += bool(votes) and 2 * sum(votes) == len(votes)
        settled = item.settled_as(Judgment.Criterion.ATTRIBUTABLE, target)
        counts.sentences_adjudicated += settled is not None
