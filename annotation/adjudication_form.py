"""The form of an adjudicator: an answer and a reason for each target that raters differ about."""

from typing import Any

from django import forms
from django.utils.translation import gettext, pgettext

from annotation.adjudicating import REASON_LIMIT, Case, Settled, Target
from annotation.models import Item
from annotation.questionnaires.types import Criterion


class AdjudicationForm(forms.Form):
    """Empty choices leave a target unsettled, and take back what was settled."""

    def __init__(self, *args: Any, item: Item, case: Case, **values: Any) -> None:
        super().__init__(*args, **values)
        self.targets: list[tuple[Criterion, int]] = [
            (criterion, target)
            for criterion in case.criteria
            for target in range(criterion.target_count(item))
            if case.is_open((criterion.name, target))
        ]
        for criterion, target in self.targets:
            held = case.settled.get((criterion.name, target))
            self.fields[value_name(criterion.name, target)] = forms.TypedChoiceField(
                label=gettext("Settled answer"),
                choices=[
                    *((level.value, gettext(level.label)) for level in reversed(criterion.levels)),
                    ("", pgettext("an answer", "not settled")),
                ],
                coerce=int,
                empty_value=None,
                required=False,
                widget=forms.RadioSelect,
                initial=held.value if held else "",
            )
            self.fields[reason_name(criterion.name, target)] = forms.CharField(
                label=pgettext("the reason", "Why"),
                max_length=REASON_LIMIT,
                required=False,
                widget=forms.Textarea(attrs={"rows": 2}),
                initial=held.reason if held else "",
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        for criterion, target in self.targets:
            value, reason = value_name(criterion.name, target), reason_name(criterion.name, target)
            is_settled = cleaned.get(value) is not None
            if is_settled and reason in cleaned and not cleaned[reason]:
                self.add_error(
                    reason, gettext("Say in a sentence why: the next reader must follow it.")
                )
        return cleaned

    def answers(self) -> dict[Target, Settled | None]:
        """What the form settles, and None where it leaves a target unsettled."""
        found: dict[Target, Settled | None] = {}
        for criterion, target in self.targets:
            value = self.cleaned_data[value_name(criterion.name, target)]
            reason = self.cleaned_data[reason_name(criterion.name, target)]
            settled = None if value is None else Settled(value=value, reason=reason)
            found[criterion.name, target] = settled
        return found


def value_name(criterion: str, target: int) -> str:
    return f"value-{criterion}-{target}"


def reason_name(criterion: str, target: int) -> str:
    return f"reason-{criterion}-{target}"
