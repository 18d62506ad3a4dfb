"""People's answers about citations beside automatic ones, statement by statement: ALCE's section 6.

A statement is matched by where it stands in the answer. A settled answer replaces the raters';
what they are tied about, or judged in other units than were scored, is left out and counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.results.by_questionnaire import Answers, part_label, read_judged
from annotation.results.estimates import Drawn, mean_of
from annotation.results.labels import Label, most_said
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_judgments import PARTIAL
from pipeline.metrics.citation_support import ENTAILED
from pipeline.metrics.decisions import Decided, DecisionValidity, decision_validity
from pipeline.metrics.inference import Estimate
from pipeline.metrics.validity import Scored, validity

SUPPORT = {"citation": "citation_recall", "answer_quality": "attributable"}
"""By questionnaire the criterion that says whether a statement's sources support it."""
PRECISION = "citation_precision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Of one kind of thing, how far automatic decisions are people's."""

    name: str
    meaning: str
    found: DecisionValidity


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """One figure of answers, by people and automatic, over what both judged."""

    name: str
    n: int
    """Answers."""
    people: Estimate | None
    """The mean; its `n` counts passages, as that of `automatic`."""
    automatic: Estimate | None
    pearson: Estimate | None
    spearman: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideAutomatic:
    decisions: tuple[Decisions, ...]
    figures: tuple[Correlated, ...]
    left_out: int
    """Judged statements of scored answers that no automatic decision is about."""
    tied: int
    """Statements and citations that raters are tied about."""


@dataclass(slots=True)
class _Counted:
    statements: list[Decided] = field(default_factory=list)
    cited: list[Decided] = field(default_factory=list)
    citations: list[Decided] = field(default_factory=list)
    left_out: int = 0
    tied: int = 0


def beside_automatic(campaign: Campaign, phase: str = "") -> BesideAutomatic | None:
    """Of one phase, or of all if it is empty; None for a questionnaire that does not ask about
    citations, and where no judged answer is scored."""
    if campaign.questionnaire not in SUPPORT:
        return None
    counted = _Counted()
    shares: dict[str, list[Scored]] = {"recall": [], "precision": []}
    for item, raters in read_judged(
        campaign, phase, "side", "sentences", "citations",
        "revision__citation_scores__statements",
    ):  # fmt: skip
        scored = item["revision__citation_scores__statements"]
        # Only what was to be written is scored; y of a system that revises cites nothing.
        if scored is None or item["side"] != Item.Side.BEFORE:
            continue
        before = len(counted.statements), len(counted.citations)
        _count(counted, campaign, item, raters, scored)
        for name, decided in (
            ("recall", counted.statements[before[0] :]),
            ("precision", counted.citations[before[1] :]),
        ):
            if decided:
                shares[name].append(_shares(decided))
    if not counted.statements:
        return None
    return BesideAutomatic(
        decisions=tuple(_decisions(counted)),
        figures=tuple(_correlated(name, of) for name, of in shares.items() if of),
        left_out=counted.left_out,
        tied=counted.tied,
    )


def _count(
    counted: _Counted,
    campaign: Campaign,
    item: Mapping[str, Any],
    raters: Sequence[Answers],
    scored: Sequence[Mapping[str, Any]],
) -> None:
    """What people and the model decided of one answer's statements and citations."""
    criterion = questionnaire_of(campaign).criterion(SUPPORT[campaign.questionnaire])
    known = {(each["start"], each["end"]): each for each in scored}
    cited: dict[int, list[int]] = {}
    for target, each in enumerate(item["citations"]):
        cited.setdefault(each["sentence"], []).append(target)
    for number, sentence in enumerate(item["sentences"]):
        automatic = known.get((sentence["start"], sentence["end"]))
        own = cited.get(number, [])
        if automatic is None or not _is_same(automatic, own):
            counted.left_out += 1
            continue
        supported = part_label(criterion, number, item["citations"], raters)
        if supported is None:
            counted.tied += 1
            continue
        entailed = bool(own) and (automatic["probability"] or 0.0) >= ENTAILED
        decided = Decided(people=bool(supported), automatic=entailed, cluster=item["drawn"].passage)
        counted.statements.append(decided)
        if not own:
            continue
        counted.cited.append(decided)
        for target, source in zip(own, automatic["sources"], strict=False):  # the first three
            label = _precision(target, supported, raters)
            if label is None:
                counted.tied += any((PRECISION, target) in said for said in raters)
                continue
            counted.citations.append(
                Decided(
                    people=bool(label),
                    automatic=entailed and source not in automatic["irrelevant"],
                    cluster=item["drawn"].passage,
                )
            )


def _is_same(automatic: Mapping[str, Any], citations: Sequence[int]) -> bool:
    """Whether both looked at the same citations: the model at the first of them."""
    looked_at = len(automatic["sources"])
    return looked_at == len(citations) or looked_at == AT_MOST < len(citations)


def _precision(target: int, supported: Label, raters: Sequence[Answers]) -> Label:
    """1 for a citation that supports a supported statement at least in part (ALCE's appendix F);
    None where raters are tied, and where nobody was asked."""
    levels = [said[PRECISION, target][0] for said in raters if (PRECISION, target) in said]
    if not levels:
        return None
    if not supported:
        return 0
    level = most_said(levels)
    return None if level is None else int(level >= PARTIAL)


def _shares(decided: Sequence[Decided]) -> Scored:
    """One answer's figure, by both."""
    n = len(decided)
    return Scored(
        score=sum(each.automatic for each in decided) / n,
        said=sum(each.people for each in decided) / n,
        cluster=decided[0].cluster,
    )


def _decisions(counted: _Counted) -> Iterator[Decisions]:
    for name, meaning, of in (
        (
            "Statements that cite",
            "their sources, together, support them; a fault is an insufficient citation",
            counted.cited,
        ),
        (
            "All statements",
            "the same, where a statement that cites nothing is supported by nothing, as in ALCE",
            counted.statements,
        ),
        (
            "Citations",
            "they support a supported statement at least in part, or, by the scorer, are not "
            "irrelevant; a fault is an irrelevant citation",
            counted.citations,
        ),
    ):
        if of:
            yield Decisions(name=name, meaning=meaning, found=decision_validity(of))


def _correlated(name: str, scored: Sequence[Scored]) -> Correlated:
    found = validity(scored)
    # Several answers to one question are alike, so questions are the units here, too.
    drawn = [Drawn(run=0, passage=each.cluster, weight=1.0) for each in scored]
    return Correlated(
        name=f"Citation {name}",
        n=len(scored),
        people=mean_of([each.said for each in scored], drawn),
        automatic=mean_of([each.score for each in scored], drawn),
        pearson=found.pearson,
        spearman=found.spearman,
    )
