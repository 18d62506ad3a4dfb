"""Citations: ALCE's human study, its appendix F: utility, citation recall, citation precision."""

from django.utils.translation import gettext_noop as _

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
    title=_("Citations"),
    summary=_("rate how useful an answer is, and whether each citation supports its sentence"),
    question=_("Is the answer useful, and does what it cites support it?"),
    template="annotation/judging/citation.html",
    guidelines="citation.md",
    keys=(
        ("↓ J", _("next question")),
        ("↑ K", _("previous question")),
        ("1", _("the first answer of the question")),
        ("2", _("the second")),
        ("3", _("the third")),
        ("4", _("the fourth")),
        ("5", _("the fifth")),
        ("0", _("take the answer back")),
        ("G", _("next question that is open")),
        ("E", _("to the sources; again: back to the question")),
        ("[", _("previous source")),
        ("]", _("next source")),
    ),
    criteria=(
        Criterion(
            name="utility",
            targets="item",
            noun=_("answer"),
            question=_("It is a helpful and informative answer"),
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(value=1, label=_("strongly disagree")),
                Level(value=2, label=_("disagree")),
                Level(value=3, label=_("neutral")),
                Level(value=4, label=_("agree")),
                Level(value=5, label=_("strongly agree")),
            ),
            unset=_("not rated"),
        ),
        Criterion(
            name="citation_recall",
            targets="sentences",
            noun=_("sentence"),
            question=_("Its sources, taken together"),
            is_required=True,
            is_cited_only=True,
            levels=yes_or_no(_("support all of it"), _("do not support all of it")),
            unset=_("not judged"),
        ),
        Criterion(
            name="citation_precision",
            targets="citations",
            noun=_("citation"),
            question=_("By itself"),
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(value=0, label=_("does not support it"), mark="✕", tone="no"),
                Level(value=1, label=_("supports a part of it"), mark="◐", tone="partly"),
                Level(value=2, label=_("supports all of it"), mark="✓", tone="yes"),
            ),
            unset=_("not judged"),
        ),
    ),
    counted="citation_recall",
    figures="annotation.figures.citation_figures",
    make=cited_answer,
)
