"""People's answers about citations beside automatic ones, statement by statement: ALCE's section 6.

A statement is matched by where it stands in the answer. A settled answer replaces the raters';
what they are tied about, or judged in other units than were scored, is left out and counted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.types import Questionnaire
from annotation.results.estimates import Drawn, mean_of
from annotation.results.judged import ItemAnswers, read_judged
from annotation.results.labels import Label, count_answers
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_judgments import PARTIAL
from pipeline.metrics.citation_support import ENTAILED
from pipeline.metrics.decisions import Decided, DecisionValidity, decision_validity
from pipeline.metrics.inference import Estimate
from pipeline.metrics.validity import Scored, validity

SUPPORT = {"citation": "citation_recall", "answer_quality": "attributable"}
"""By questionnaire the criterion that says whether a statement's sources support it."""
PRECISION = "citation_precision"
SCORED = "revision__citation_scores__statements"


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
    """Of one answer."""

    statements: list[Decided] = field(default_factory=list)
    cited: list[Decided] = field(default_factory=list)
    """Those statements that cite something."""
    citations: list[Decided] = field(default_factory=list)
    left_out: int = 0
    tied: int = 0


def beside_automatic(campaign: Campaign, phase: str = "") -> BesideAutomatic | None:
    """Of one phase, or of all if it is empty; None for a questionnaire that does not ask about
    citations, and where no judged answer is scored."""
    if campaign.questionnaire not in SUPPORT:
        return None
    questionnaire = questionnaire_of(campaign)
    fields = ("side", "sentences", "citations", "evidence", SCORED)
    # Only what was to be written is scored; y of a system that revises cites nothing.
    answers = [
        _counted(questionnaire, item, given)
        for item, given in read_judged(campaign, phase, *fields)
        if item[SCORED] is not None and item["side"] == Item.Side.BEFORE
    ]
    if not any(each.statements for each in answers):
        return None
    recall = [_shares(each.statements) for each in answers if each.statements]
    precision = [_shares(each.citations) for each in answers if each.citations]
    return BesideAutomatic(
        decisions=tuple(_decisions(answers)),
        figures=tuple(
            _correlated(name, of)
            for name, of in (("Citation recall", recall), ("Citation precision", precision))
            if of
        ),
        left_out=sum(each.left_out for each in answers),
        tied=sum(each.tied for each in answers),
    )


def _counted(questionnaire: Questionnaire, item: Mapping[str, Any], given: ItemAnswers) -> _Counted:
    """What people and the model decided of one answer's statements and citations."""
    support = questionnaire.criterion(SUPPORT[questionnaire.name])
    precision = next((each for each in questionnaire.criteria if each.name == PRECISION), None)
    counted = _Counted()
    decided = partial(Decided, cluster=item["drawn"].passage)
    known = {(each["start"], each["end"]): each for each in item[SCORED]}
    cited: dict[int, dict[int, int]] = defaultdict(dict)
    for target, each in enumerate(item["citations"]):
        # Sources of imported answers keep their numbers, which may leave some out.
        number = item["evidence"][each["evidence"]].get("number", each["evidence"] + 1)
        cited[each["sentence"]][number] = target
    for place, sentence in enumerate(item["sentences"]):
        automatic = known.get((sentence["start"], sentence["end"]))
        own = cited[place]
        if automatic is None or list(own)[:AT_MOST] != automatic["sources"]:
            counted.left_out += 1
            continue
        supported = count_answers(
            support, place, given.raters, given.settled, citations=item["citations"]
        ).label
        if supported is None:
            counted.tied += 1
            continue
        entailed = bool(own) and (automatic["probability"] or 0.0) >= ENTAILED
        found = decided(people=bool(supported), automatic=entailed)
        counted.statements.append(found)
        if own:
            counted.cited.append(found)
        for number in automatic["sources"]:
            if precision is None:
                continue
            of_citation = count_answers(precision, own[number], given.raters, given.settled)
            if not of_citation.levels:
                continue
            label = _precise(of_citation.level, supported)
            if label is None:
                counted.tied += 1
                continue
            relevant = entailed and number not in automatic["irrelevant"]
            counted.citations.append(decided(people=bool(label), automatic=relevant))
    return counted


def _precise(level: int | None, supported: Label) -> Label:
    """1 for a citation that supports a supported statement at least in part (ALCE's appendix F);
    None where raters are tied."""
    if not supported:
        return 0
    return None if level is None else int(level >= PARTIAL)


def _shares(decided: Sequence[Decided]) -> Scored:
    """One answer's figure, by both."""
    n = len(decided)
    return Scored(
        score=sum(each.automatic for each in decided) / n,
        said=sum(each.people for each in decided) / n,
        cluster=decided[0].cluster,
    )


def _decisions(answers: Sequence[_Counted]) -> Iterator[Decisions]:
    for name, meaning, kinds in (
        (
            "Statements that cite",
            "their sources, together, support them; a fault is an insufficient citation",
            [each.cited for each in answers],
        ),
        (
            "All statements",
            "the same, where a statement that cites nothing is supported by nothing, as in ALCE",
            [each.statements for each in answers],
        ),
        (
            "Citations",
            "they support a supported statement at least in part, or, by the scorer, are not "
            "irrelevant; a fault is an irrelevant citation",
            [each.citations for each in answers],
        ),
    ):
        if of := list(chain.from_iterable(kinds)):
            yield Decisions(name=name, meaning=meaning, found=decision_validity(of))


def _correlated(name: str, scored: Sequence[Scored]) -> Correlated:
    found = validity(scored)
    # Several answers to one question are alike, so questions are the units here, too.
    drawn = [Drawn(run=0, passage=each.cluster, weight=1.0) for each in scored]
    return Correlated(
        name=name,
        n=len(scored),
        people=mean_of([each.said for each in scored], drawn),
        automatic=mean_of([each.score for each in scored], drawn),
        pearson=found.pearson,
        spearman=found.spearman,
    )
