"""What a criterion asks about, in words: for pages that show an item's targets one by one."""

from django.utils.translation import gettext

from annotation.models import Item
from annotation.questionnaires.types import Criterion


def target_title(criterion: Criterion, target: int, *, named: bool) -> str:
    """The target in words; `named` with its criterion, where several are asked."""
    title = criterion.target_name(target)
    if not named:
        return title
    about = gettext(criterion.question) if criterion.question else criterion.name
    return gettext("%(target)s: %(question)s") % {"target": title, "question": about}


def target_text(item: Item, criterion: Criterion, target: int) -> str:
    """What the target says; empty where it is the whole item."""
    if criterion.targets == "sentences":
        offsets = item.sentences[target]
        return str(item.text[offsets["start"] : offsets["end"]])
    if criterion.targets == "evidence":
        return str(item.evidence[target]["text"])
    if criterion.targets == "citations":
        cited = item.citations[target]
        offsets = item.sentences[cited["sentence"]]
        sentence = item.text[offsets["start"] : offsets["end"]]
        return gettext("%(sentence)s — cites evidence %(number)d") % {
            "sentence": sentence,
            "number": cited["evidence"] + 1,
        }
    return ""
