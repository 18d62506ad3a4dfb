"""Citations: ALCE's human study, its appendix F: utility, citation recall, citation precision."""

from annotation.questionnaires.citing import citations_of, evidence_of, with_their_citations
from annotation.questionnaires.making import Draft, Material
from annotation.questionnaires.types import Criterion, Level, Questionnaire, yes_or_no


def cited_answer(material: Material) -> Draft | None:
    """One side, sentence by sentence, beside the sources that it cites."""
    text = material.texts[material.side]
    sentences = with_their_citations(text, material.sentences[material.side])
    evidence, places = evidence_of(material)
    if not sentences:
        return None
    return Draft(
        text=text,
        sentences=sentences,
        evidence=evidence,
        citations=citations_of(text, sentences, places),
    )


CITATION = Questionnaire(
    name="citation",
    title="Citations",
    summary="rate how useful an answer is, and whether each citation supports its sentence",
    question="Is the answer useful, and does what it cites support it?",
    template="annotation/judging/citation.html",
    guidelines="citation.md",
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
            levels=yes_or_no("support all of it", "do not support all of it"),
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
                Level(value=0, label="does not support it", mark="✕", tone="no"),
                Level(value=1, label="supports a part of it", mark="◐", tone="partly"),
                Level(value=2, label="supports all of it", mark="✓", tone="yes"),
            ),
            unset="not judged",
        ),
    ),
    counted="citation_recall",
    figures="annotation.figures.citation_figures",
    make=cited_answer,
)
