"""Intent similarity: the paper's appendix C.3 and Figure 12, two passages side by side."""

from django.utils.translation import gettext_noop as _

from annotation.questionnaires.material import PAIR, pair
from annotation.questionnaires.types import Criterion, Level, Need, Questionnaire

INTENT = Questionnaire(
    name="intent",
    title=_("Intent similarity"),
    summary=_("compare the two texts of a passage and say whether they mean to tell the same"),
    does=_(
        "You read two passages side by side, and decide how similar they are in what they mean to "
        "tell."
    ),
    question=_("How similar is the intent of the two passages? Ignore differences in details."),
    template="annotation/judging/intent.html",
    keys=(
        ("1", _("very similar")),
        ("2", _("somewhat similar")),
        ("3", _("not at all similar")),
        ("0", _("take the answer back")),
        ("D", _("show what differs, word by word; again: hide it")),
        ("S", _("scroll the two together; again: each by itself")),
        ("G", _("to the question")),
    ),
    criteria=(
        Criterion(
            name="intent",
            targets="item",
            noun=_("pair"),
            is_required=True,
            is_ordinal=True,
            levels=(
                Level(
                    value=0,
                    label=_("not at all similar"),
                    meaning=_("They are about different things."),
                    mark="✕",
                    tone="no",
                ),
                Level(
                    value=1,
                    label=_("somewhat similar"),
                    meaning=_(
                        "They are about the same thing, but one tells clearly more of it, "
                        "other sides of it, or tells it in another way."
                    ),
                    mark="◐",
                    tone="partly",
                ),
                Level(
                    value=2,
                    label=_("very similar"),
                    meaning=_(
                        "They are about the same thing, as much of it and in the same way. "
                        "Facts in them may differ."
                    ),
                    mark="✓",
                    tone="yes",
                ),
            ),
            unset=_("not compared"),
        ),
    ),
    counted="intent",
    figures="annotation.results.by_questionnaire.intent_figures",
    sides=(PAIR,),
    make=pair,
    needs=(
        Need(
            is_met=lambda item: item.text.split() != item.second_text.split(),
            few=_("have two texts that differ; the others are asked all the same"),
            refusal=_(
                "No chosen revision differs from its original, so every pair would show one text "
                "twice. Choose a run that changed something."
            ),
        ),
    ),
    assumed_seconds=45,
)
