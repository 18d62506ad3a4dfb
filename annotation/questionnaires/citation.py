"""Citations: ALCE's human study, its appendix F: utility, citation recall, citation precision."""

from functools import partial

from django.utils.translation import gettext_noop as _

from annotation.questionnaires.citations import cited_draft, with_their_citations
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire, yes_or_no

CITATION = Questionnaire(
    name="citation",
    title=_("Citations"),
    summary=_("rate how useful an answer is, and whether each citation supports its sentence"),
    does=_(
        "You read answers that cite sources, and decide how useful each answer is and whether what "
        "it cites supports it."
    ),
    question=_("Is the answer useful, and does what it cites support it?"),
    template="annotation/judging/citation.html",
    keys=(
        ("↓ J", _("next question")),
        ("↑ K", _("previous question")),
        ("1", _("the first answer of the question, the best")),
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
            follows="citation_precision",
            levels=yes_or_no(
                _("support all of it"),
                _("do not support all of it"),
                short=(_("all"), _("not all")),
            ),
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
                Level(value=0, label=_("does not support it"), mark="✕", tone="no", short=_("not")),
                Level(
                    value=1,
                    label=_("supports a part of it"),
                    mark="◐",
                    tone="partly",
                    short=_("a part"),
                ),
                Level(value=2, label=_("supports all of it"), mark="✓", tone="yes", short=_("all")),
            ),
            unset=_("not judged"),
        ),
    ),
    counted="citation_recall",
    figures="annotation.results.by_questionnaire.citation_figures",
    make=partial(cited_draft, units=with_their_citations),
    needs=(
        Need(
            is_met=lambda item: bool(item.citations),
            few=_("cite a source"),
            refusal=_(
                "Nothing in the chosen texts cites a source, as [1] does, so there is no citation "
                "to judge. Choose answers with citations, or ask about attribution."
            ),
        ),
    ),
    assumed_seconds=40,
)
