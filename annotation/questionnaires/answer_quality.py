"""Answer quality: HAGRID's section 3.4, informative and attributable, unit by unit."""

from annotation.questionnaires.citing import citations_of, evidence_of, grouped
from annotation.questionnaires.making import Draft, Material
from annotation.questionnaires.types import Criterion, Questionnaire, Rule, yes_or_no


def answer(material: Material) -> Draft | None:
    """One side in HAGRID's units, beside the sources that it cites."""
    text = material.texts[material.side]
    units = grouped(text, material.sentences[material.side])
    evidence, places = evidence_of(material)
    if not units:
        return None
    return Draft(
        text=text,
        sentences=units,
        evidence=evidence,
        citations=citations_of(text, units, places),
    )


ANSWER_QUALITY = Questionnaire(
    name="answer_quality",
    title="Answer quality",
    summary="say of each part of an answer whether it informs, and whether its sources support it",
    question="Does each part answer the question, and do the sources it cites support it?",
    template="annotation/judging/answer_quality.html",
    guidelines="answer_quality.md",
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
            levels=yes_or_no("attributable", "not attributable"),
            unset="not judged",
        ),
    ),
    counted="attributable",
    make=answer,
    rules=(
        Rule(criterion="informative", how="any", label="informative"),
        Rule(criterion="attributable", how="all", label="attributable"),
    ),
)
