"""Utility, citation recall and citation precision: appendix F of ALCE."""

from functools import partial

from annotation.questionnaires.citations import cited_draft, with_their_citations
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire, yes_or_no

CITATION = Questionnaire(
    name="citation",
    title="Citations",
    summary="rate how useful an answer is, and whether each citation supports its sentence",
    does=(
        "You read answers that cite sources, and decide how useful each answer is and whether what "
        "it cites supports it."
    ),
    question="Is the answer useful, and does what it cites support it?",
    template="annotation/judging/citation.html",
    keys=(
        ("↓ J", "next question"),
        ("↑ K", "previous question"),
        ("1", "the first answer of the question, the best"),
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
            question="It is a helpful and informative answer",
            is_required=True,
            is_ordinal=True,
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
            question="Its sources, taken together",
            is_required=True,
            is_cited_only=True,
            follows="citation_precision",
            levels=yes_or_no(
                "support all of it",
                "do not support all of it",
                short=("all", "not all"),
            ),
            unset="not judged",
        ),
        Criterion(
            name="citation_precision",
            targets="citations",
            noun="citation",
            question="By itself",
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(value=0, label="does not support it", mark="✕", tone="no", short="not"),
                Level(
                    value=1,
                    label="supports a part of it",
                    mark="◐",
                    tone="partly",
                    short="a part",
                ),
                Level(value=2, label="supports all of it", mark="✓", tone="yes", short="all"),
            ),
            unset="not judged",
        ),
    ),
    counted="citation_recall",
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
