"""Answer quality: HAGRID's section 3.4, informative and attributable, unit by unit."""

from functools import partial

from django.utils.translation import gettext_noop as _

from annotation.questionnaires.citations import cited_draft, grouped
from annotation.questionnaires.types import (
    HAS_EVIDENCE,
    Criterion,
    Need,
    Questionnaire,
    Rule,
    yes_or_no,
)

ANSWER_QUALITY = Questionnaire(
    name="answer_quality",
    title=_("Answer quality"),
    summary=_(
        "say of each part of an answer whether it informs, and whether its sources support it"
    ),
    does=_(
        "You read answers to questions, and decide for each part of an answer whether it informs "
        "and whether the sources it cites support it."
    ),
    question=_("Does each part answer the question, and do the sources it cites support it?"),
    template="annotation/judging/answer_quality.html",
    keys=(
        ("↓ J", _("next question")),
        ("↑ K", _("previous question")),
        ("1", _("yes")),
        ("2", _("no")),
        ("0", _("take the answer back")),
        ("G", _("next question that is open")),
        ("E", _("to the sources; again: back to the question")),
        ("[", _("previous source")),
        ("]", _("next source")),
    ),
    criteria=(
        Criterion(
            name="informative",
            targets="sentences",
            noun=_("part"),
            question=_("informative"),
            is_required=True,
            levels=yes_or_no(_("informative"), _("not informative")),
            unset=_("not judged"),
        ),
        Criterion(
            name="attributable",
            targets="sentences",
            noun=_("part"),
            question=_("attributable"),
            is_required=True,
            is_cited_only=True,
            levels=yes_or_no(_("attributable"), _("not attributable")),
            unset=_("not judged"),
        ),
    ),
    counted="attributable",
    figures="annotation.results.by_questionnaire.answer_quality_figures",
    needs=(
        Need(
            is_met=lambda item: bool(item.context.strip()),
            few=_("have a question"),
            refusal=_(
                "No chosen passage has a question (a context), so nobody could say whether it "
                "answers one. Choose passages with a context, or ask about attribution."
            ),
        ),
        HAS_EVIDENCE,
    ),
    assumed_seconds=40,
    make=partial(cited_draft, units=grouped),
    rules=(
        Rule(criterion="informative", how="any", label=_("informative")),
        Rule(criterion="attributable", how="all", label=_("attributable")),
    ),
)
