"""Human against automatic decisions about citations (section 6 of the ALCE paper).

A judged statement is compared with the scored one that has the same start, end and sources. Ties
and statements without such a counterpart are only counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from annotation.models import Campaign
from annotation.questionnaires import questionnaire_of
from annotation.questionnaires.material import BEFORE
from annotation.questionnaires.types import Questionnaire
from annotation.results.answers import ItemAnswers, items_with_answers
from annotation.results.labels import Label, target_answers
from annotation.results.scored_statements import STATEMENTS, statements_of
from pipeline.metrics.citation_support import ENTAILED, PARTIAL
from pipeline.metrics.decisions import Decision, DecisionValidity, decision_validity
from pipeline.metrics.inference import Estimate, ratio_estimate
from pipeline.metrics.validity import Scored, validity
from pipeline.pages.table_files import ENDS, cells_of_estimate
from rarrweb.web.csv import table_text

SUPPORT = {"citation": "citation_recall", "answer_quality": "attributable"}
"""By questionnaire: the criterion "do its sources support the statement"."""
PRECISION = "citation_precision"
_COUNTS = ("n", "clusters", "both_yes", "only_people", "only_automatic", "both_no")
_DECISIONS = ("accuracy", "kappa", "negative_recall", "negative_precision")
_FIGURES = ("people", "automatic", "pearson", "spearman")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionKind:
    name: str
    meaning: str
    validity: DecisionValidity


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureCorrelation:
    """A figure by humans and by the scorer, of the answers that have both."""

    name: str
    n: int
    """Answers; the `n` of its estimates is passages."""
    people: Estimate | None
    automatic: Estimate | None
    pearson: Estimate | None
    spearman: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanVsAutomatic:
    decisions: tuple[DecisionKind, ...]
    figures: tuple[FigureCorrelation, ...]
    unmatched: int
    """Judged statements without a scored one with the same start, end and sources."""
    tied: int
    """Statements and citations."""


@dataclass(slots=True)
class _AnswerDecisions:
    statements: list[Decision] = field(default_factory=list)
    citing: list[Decision] = field(default_factory=list)
    """Those about statements that cite a source."""
    citations: list[Decision] = field(default_factory=list)
    unmatched: int = 0
    tied: int = 0


def human_vs_automatic(campaign: Campaign, phase: str = "") -> HumanVsAutomatic | None:
    """Compare the decisions of one phase, or of all if it is empty.

    None if the questionnaire does not ask about citations or no judged answer is scored.
    """
    if campaign.questionnaire not in SUPPORT:
        return None
    questionnaire = questionnaire_of(campaign)
    fields = ("side", "sentences", "citations", "evidence", STATEMENTS)
    # Scores are of answers as written, before a revision.
    texts = [
        _decisions_about(questionnaire, item, given)
        for item, given in items_with_answers(campaign, phase, *fields)
        if item[STATEMENTS] is not None and item["side"] == BEFORE
    ]
    if not any(each.statements for each in texts):
        return None
    recall = [_shares_of_yes(each.statements) for each in texts if each.statements]
    precision = [_shares_of_yes(each.citations) for each in texts if each.citations]
    return HumanVsAutomatic(
        decisions=tuple(_kinds(texts)),
        figures=tuple(
            _correlation(name, scored)
            for name, scored in (("Citation recall", recall), ("Citation precision", precision))
            if scored
        ),
        unmatched=sum(each.unmatched for each in texts),
        tied=sum(each.tied for each in texts),
    )


def _decisions_about(
    questionnaire: Questionnaire, item: Mapping[str, Any], given: ItemAnswers
) -> _AnswerDecisions:
    support = questionnaire.criterion(SUPPORT[questionnaire.name])
    precision = next((each for each in questionnaire.criteria if each.name == PRECISION), None)
    decisions = _AnswerDecisions()
    decision = partial(Decision, cluster=item["sample"].cluster)
    matched = statements_of(
        item["sentences"], item["citations"], item["evidence"], item[STATEMENTS]
    )
    for index, (automatic, target_of) in enumerate(matched):
        if automatic is None:
            decisions.unmatched += 1
            continue
        supported = target_answers(
            support, index, given.by_rater, given.adjudicated, citations=item["citations"]
        ).label
        if supported is None:
            decisions.tied += 1
            continue
        entailed = bool(target_of) and (automatic["probability"] or 0.0) >= ENTAILED
        about_statement = decision(people=bool(supported), automatic=entailed)
        decisions.statements.append(about_statement)
        if target_of:
            decisions.citing.append(about_statement)
        if precision is None:
            continue
        for number in automatic["sources"]:
            target = target_of[number]
            answers = target_answers(precision, target, given.by_rater, given.adjudicated)
            if not answers.levels:
                continue
            label = _precision_label(answers.level, supported)
            if label is None:
                decisions.tied += 1
                continue
            relevant = entailed and number not in automatic["irrelevant"]
            decisions.citations.append(decision(people=bool(label), automatic=relevant))
    return decisions


def _precision_label(level: int | None, supported: Label) -> Label:
    """1 for a citation that at least partly supports a supported statement (ALCE, appendix F).

    None for a tie.
    """
    if not supported:
        return 0
    return None if level is None else int(level >= PARTIAL)


def _shares_of_yes(decisions: Sequence[Decision]) -> Scored:
    """Compute the shares of yes about one text, by people and by the scorer."""
    n = len(decisions)
    return Scored(
        score=sum(each.automatic for each in decisions) / n,
        human_share=sum(each.people for each in decisions) / n,
        cluster=decisions[0].cluster,
    )


def _kinds(texts: Sequence[_AnswerDecisions]) -> Iterator[DecisionKind]:
    for name, meaning, of_texts in (
        (
            "Statements that cite",
            "their sources, together, support them; the negatives are insufficient citations",
            [each.citing for each in texts],
        ),
        (
            "All statements",
            "the same, where a statement that cites nothing is supported by nothing, as in ALCE",
            [each.statements for each in texts],
        ),
        (
            "Citations",
            "they support a supported statement at least in part, or, by the scorer, are not "
            "irrelevant; the negatives are irrelevant citations",
            [each.citations for each in texts],
        ),
    ):
        if decisions := list(chain.from_iterable(of_texts)):
            yield DecisionKind(name=name, meaning=meaning, validity=decision_validity(decisions))


def _correlation(name: str, scored: Sequence[Scored]) -> FigureCorrelation:
    figures = validity(scored)
    clusters = [each.cluster for each in scored]
    people, automatic = (
        ratio_estimate(values, clusters=clusters, lowest=0, highest=1)
        for values in ([each.human_share for each in scored], [each.score for each in scored])
    )
    return FigureCorrelation(
        name=name,
        n=len(scored),
        people=people,
        automatic=automatic,
        pearson=figures.pearson,
        spearman=figures.spearman,
    )


def csv_text(compared: HumanVsAutomatic) -> str:
    """Return a row for each kind of decision and each figure; estimates are -1.0 to 1.0."""
    header = ["of", *_COUNTS, *(name + end for name in (*_DECISIONS, *_FIGURES) for end in ENDS)]
    rows: list[list[object]] = [
        [
            each.name,
            *(getattr(each.validity, name) for name in _COUNTS),
            *(c for name in _DECISIONS for c in cells_of_estimate(getattr(each.validity, name))),
            *[None] * (len(_FIGURES) * len(ENDS)),
        ]
        for each in compared.decisions
    ]
    rows += [
        [
            each.name,
            *(each.n if name == "n" else None for name in _COUNTS),
            *[None] * (len(_DECISIONS) * len(ENDS)),
            *(cell for name in _FIGURES for cell in cells_of_estimate(getattr(each, name))),
        ]
        for each in compared.figures
    ]
    return table_text(header, rows)
