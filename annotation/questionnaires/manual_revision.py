"""Manual revision: the paper's human oracle, the least editing that leaves nothing unsupported."""

from django.utils.translation import gettext_noop as _

from annotation.questionnaires.material import AFTER, BEFORE
from annotation.questionnaires.types import HAS_EVIDENCE, Criterion, Level, Questionnaire

MANUAL_REVISION = Questionnaire(
    name="manual_revision",
    title=_("Manual revision"),
    summary=_("edit each passage, as little as possible, until the evidence supports all of it"),
    does=_(
        "You read passages beside the evidence that was found for them, and edit them, as little "
        "as possible, until the evidence supports every sentence."
    ),
    question=_("Change as little as you can, until the evidence supports every sentence."),
    template="annotation/judging/manual_revision.html",
    keys=(
        ("E", _("edit the passage; Esc leaves it")),
        ("D", _("show what you changed, word by word; again: hide it")),
        ("↓ J", _("next sentence of the original")),
        ("↑ K", _("previous sentence of the original")),
        ("O", _("leave the sentence out; again: put it back")),
        ("B", _("put the sentence back as it was")),
        ("[", _("previous evidence")),
        ("]", _("next evidence")),
        ("→ ← Shift+→", _("in the evidence: mark a word; with Shift, one more or one fewer")),
        ("P", _("put what is marked there into the passage")),
        ("G", _("to the passage")),
    ),
    criteria=(
        Criterion(
            name="revision",
            targets="item",
            noun=_("passage"),
            is_required=True,
            is_text=True,
            levels=(Level(value=1, label=_("revised"), mark="✓", tone="yes"),),
            unset=_("not revised yet"),
        ),
    ),
    counted="revision",
    figures="annotation.results.by_questionnaire.oracle_figures",
    sides=(BEFORE, AFTER),
    needs=(HAS_EVIDENCE,),
    assumed_seconds=180,
)
