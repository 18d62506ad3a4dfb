"""Utility, citation recall and citation precision: appendix F of ALCE."""

from functools import partial

from annotation.questionnaires.citations import cited_draft, with_their_citations
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire, yes_or_no

CITATION = Questionnaire(
    name="citation",
    title="Citations",
    summary="how useful is the answer, and does each citation support its sentence?",
    does=(
        "You read answers that cite sources, and decide how useful each answer is and whether its "
        "sources support it."
    ),
    question="Is the answer useful, and do its sources support it?",
    template="annotation/judging/citation.html",
    keys=(
        ("↓ J", "next question"),
        ("↑ K", "previous question"),
        ("1", "the first answer of the question"),
        ("2", "the second"),
        ("3", "the third"),
        ("4", "the fourth"),
        ("5", "the fifth"),
        ("0", "take the answer back"),
        ("G", "next question that is open"),
        ("E", "to the sources; again: back to the question"),
        ("[", "previous source"),
        ("]", "next source"),
    ),
    criteria=(
        Criterion(
            name="utility",
            targets="item",
            noun="answer",
            question="The response is a helpful and informative answer to the query",
            is_required=True,
            is_ordinal=True,
            lowest_first=True,
            levels=(
                Level(value=1, label="strongly disagree"),
                Level(value=2, label="disagree"),
                Level(value=3, label="neutral"),
                Level(value=4, label="agree"),
                Level(value=5, label="strongly agree"),
            ),
            unset="not rated",
        ),
        Criterion(
            name="citation_recall",
            targets="sentences",
            noun="sentence",
            question="All its sources together",
            is_required=True,
            is_cited_only=True,
            follows="citation_precision",
            levels=yes_or_no("fully support it", "do not support all its claims"),
            unset="not judged",
        ),
        Criterion(
            name="citation_precision",
            targets="citations",
            noun="citation",
            question="The source alone",
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(value=0, label="does not support it", mark="✕", tone="no"),
                Level(value=1, label="partially supports it", mark="◐", tone="partly"),
                Level(value=2, label="fully supports it", mark="✓", tone="yes"),
            ),
            unset="not judged",
        ),
    ),
    result_criterion="citation_recall",
    figures="annotation.results.by_questionnaire.citation_figures",
    make=partial(cited_draft, units=with_their_citations),
    needs=(
        Need(
            is_met=lambda item: bool(item["citations"]),
            refusal=(
                "Nothing in the chosen texts cites a source, as [1] does, so there is no citation "
                "to judge. Choose answers with citations, or ask about attribution."
            ),
        ),
    ),
    assumed_seconds=40,
)
