"""Human against automatic decisions about citations (section 6 of the ALCE paper).

A statement is matched by its position in the answer. An adjudicated answer replaces the raters';
ties, and statements judged in other units than were scored, are excluded and counted.
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
from annotation.results.judged import ItemAnswers, read_judged
from annotation.results.labels import Label, count_answers
from pipeline.metrics.alce_reference import AT_MOST
from pipeline.metrics.citation_judgments import PARTIAL
from pipeline.metrics.citation_support import ENTAILED
from pipeline.metrics.decisions import Decision, DecisionValidity, decision_validity
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.validity import Scored, validity

SUPPORT = {"citation": "citation_recall", "answer_quality": "attributable"}
"""Questionnaire to the criterion that asks whether a statement's sources support it."""
PRECISION = "citation_precision"
SCORED = "revision__citation_scores__statements"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionKind:
    """Human against automatic decisions about one kind of thing."""

    name: str
    meaning: str
    validity: DecisionValidity


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlated:
    """One figure of answers, human and automatic, of the answers that have both."""

    name: str
    n: int
    """Answers; the `n` of the means counts passages."""
    people: Estimate | None
    automatic: Estimate | None
    pearson: Estimate | None
    spearman: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanVsAutomatic:
    decisions: tuple[DecisionKind, ...]
    figures: tuple[Correlated, ...]
    unmatched: int
    """Judged statements that were scored in other units."""
    tied: int
    """Statements and citations that raters are tied about."""


@dataclass(slots=True)
class _AnswerDecisions:
    statements: list[Decision] = field(default_factory=list)
    citing: list[Decision] = field(default_factory=list)
    """About the statements that cite something."""
    citations: list[Decision] = field(default_factory=list)
    unmatched: int = 0
    tied: int = 0


def human_vs_automatic(campaign: Campaign, phase: str = "") -> HumanVsAutomatic | None:
    """Compare the decisions of one phase, or of all if it is empty.

    None for a questionnaire that does not ask about citations, and where no judged answer is
    scored.
    """
    if campaign.questionnaire not in SUPPORT:
        return None
    questionnaire = questionnaire_of(campaign)
    fields = ("side", "sentences", "citations", "evidence", SCORED)
    # Only written answers are scored; the revision of one cites nothing.
    answers = [
        _decisions_about(questionnaire, item, given)
        for item, given in read_judged(campaign, phase, *fields)
        if item[SCORED] is not None and item["side"] == Item.Side.BEFORE
    ]
    if not any(each.statements for each in answers):
        return None
    recall = [_shares(each.statements) for each in answers if each.statements]
    precision = [_shares(each.citations) for each in answers if each.citations]
    return HumanVsAutomatic(
        decisions=tuple(_kinds(answers)),
        figures=tuple(
            _correlated(name, scored)
            for name, scored in (("Citation recall", recall), ("Citation precision", precision))
            if scored
        ),
        unmatched=sum(each.unmatched for each in answers),
        tied=sum(each.tied for each in answers),
    )


def _decisions_about(
    questionnaire: Questionnaire, item: Mapping[str, Any], given: ItemAnswers
) -> _AnswerDecisions:
    support = questionnaire.criterion(SUPPORT[questionnaire.name])
    precision = next((each for each in questionnaire.criteria if each.name == PRECISION), None)
    counted = _AnswerDecisions()
    decision = partial(Decision, cluster=item["sample"].cluster)
    scored = {(each["start"], each["end"]): each for each in item[SCORED]}
    cited: dict[int, dict[int, int]] = defaultdict(dict)
    for target, each in enumerate(item["citations"]):
        # The numbers of imported sources may have gaps.
        number = item["evidence"][each["evidence"]].get("number", each["evidence"] + 1)
        cited[each["sentence"]][number] = target
    for index, sentence in enumerate(item["sentences"]):
        automatic = scored.get((sentence["start"], sentence["end"]))
        targets = cited[index]
        if automatic is None or list(targets)[:AT_MOST] != automatic["sources"]:
            counted.unmatched += 1
            continue
        supported = count_answers(
            support, index, given.raters, given.adjudicated, citations=item["citations"]
        ).label
        if supported is None:
            counted.tied += 1
            continue
        entailed = bool(targets) and (automatic["probability"] or 0.0) >= ENTAILED
        about_statement = decision(people=bool(supported), automatic=entailed)
        counted.statements.append(about_statement)
        if targets:
            counted.citing.append(about_statement)
        for number in automatic["sources"]:
            if precision is None:
                continue
            about_citation = count_answers(
                precision, targets[number], given.raters, given.adjudicated
            )
            if not about_citation.levels:
                continue
            label = _is_precise(about_citation.level, supported)
            if label is None:
                counted.tied += 1
                continue
            relevant = entailed and number not in automatic["irrelevant"]
            counted.citations.append(decision(people=bool(label), automatic=relevant))
    return counted


def _is_precise(level: int | None, supported: Label) -> Label:
    """1 for a citation that supports a supported statement at least in part (ALCE's appendix F).

    None for a tie.
    """
    if not supported:
        return 0
    return None if level is None else int(level >= PARTIAL)


def _shares(decisions: Sequence[Decision]) -> Scored:
    """The shares of yes of one answer."""
    n = len(decisions)
    return Scored(
        score=sum(each.automatic for each in decisions) / n,
        human_share=sum(each.people for each in decisions) / n,
        cluster=decisions[0].cluster,
    )


def _kinds(answers: Sequence[_AnswerDecisions]) -> Iterator[DecisionKind]:
    for name, meaning, of_answers in (
        (
            "Statements that cite",
            "their sources, together, support them; a fault is an insufficient citation",
            [each.citing for each in answers],
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
        if decisions := list(chain.from_iterable(of_answers)):
            yield DecisionKind(name=name, meaning=meaning, validity=decision_validity(decisions))


def _correlated(name: str, scored: Sequence[Scored]) -> Correlated:
    figures = validity(scored)
    clusters = [each.cluster for each in scored]
    people, automatic = (
        ratio_estimate(values, clusters=clusters, lowest=0, highest=1)
        for values in ([each.human_share for each in scored], [each.score for each in scored])
    )
    return Correlated(
        name=name,
        n=len(scored),
        people=people,
        automatic=automatic,
        pearson=figures.pearson,
        spearman=figures.spearman,
    )
