"""Answer quality, by unit: section 3.4 of HAGRID."""

from functools import partial

from annotation.questionnaires.citations import cited_draft, grouped
from annotation.questionnaires.types import (
    HAS_EVIDENCE,
    Criterion,
    Need,
    Questionnaire,
    yes_or_no,
)

ANSWER_QUALITY = Questionnaire(
    name="answer_quality",
    title="Answer quality",
    summary="is each part of the answer informative and attributable?",
    does=(
        "You read answers to questions, and decide for each part of an answer whether it is "
        "informative and whether the sources it cites support it."
    ),
    question="Is each part a useful response to the question, and do its sources fully support it?",
    template="annotation/judging/answer_quality.html",
    keys=(
        ("↓ J", "next question"),
        ("↑ K", "previous question"),
        ("1", "yes"),
        ("2", "no"),
        ("0", "take the answer back"),
        ("G", "next question that is open"),
        ("E", "to the sources; again: back to the question"),
        ("[", "previous source"),
        ("]", "next source"),
    ),
    criteria=(
        Criterion(
            name="informative",
            targets="sentences",
            noun="part",
            question="informative",
            is_required=True,
            levels=yes_or_no("informative", "not informative"),
            unset="not judged",
        ),
        Criterion(
            name="attributable",
            targets="sentences",
            noun="part",
            question="attributable",
            is_required=True,
            is_cited_only=True,
            levels=yes_or_no("attributable", "not attributable"),
            unset="not judged",
        ),
    ),
    result_criterion="attributable",
    figures="annotation.results.by_questionnaire.answer_quality_figures",
    needs=(
        Need(
            is_met=lambda item: bool(item["context"].strip()),
            refusal=(
                "No chosen passage has a question (a context), so nobody could say whether it "
                "answers one. Choose passages with a context, or ask about attribution."
            ),
        ),
        HAS_EVIDENCE,
    ),
    assumed_seconds=40,
    make=partial(cited_draft, units=grouped),
)
