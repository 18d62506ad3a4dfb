"""Forms with a level and a text for each target of an item."""

from collections.abc import Iterator
from typing import Any

from django import forms

from annotation.adjudication.cases import REASON_LIMIT, AdjudicatedAnswer, AdjudicationItem
from annotation.models import Item
from annotation.questionnaires.types import Criterion
from annotation.results.labels import AnswerKey


class TargetsForm(forms.Form):
    prefixes = ("value", "reason")
    """Of a target's field names."""
    labels = ("Final answer", "Reason", "not adjudicated")
    """Of the level, the text and no level."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.targets: dict[AnswerKey, tuple[str, str]] = {}

    def ask(self, criterion: Criterion, target: int, *, initial: tuple[int | str, str]) -> None:
        """Add the fields of a target; `initial` has its level and text."""
        value, why = (f"{prefix}-{criterion.name}-{target}" for prefix in self.prefixes)
        self.targets[criterion.name, target] = (value, why)
        label, text_label, none = self.labels
        levels = [(level.value, level.label) for level in criterion.displayed_levels]
        self.fields[value] = forms.TypedChoiceField(
            label=label,
            choices=[*levels, ("", none)],
            coerce=int,
            empty_value=None,
            required=False,
            widget=forms.RadioSelect,
            initial=initial[0],
        )
        self.fields[why] = forms.CharField(
            label=text_label,
            max_length=REASON_LIMIT,
            required=False,
            widget=forms.Textarea(attrs={"rows": 2}),
            initial=initial[1],
        )

    def fields_of(self, key: AnswerKey) -> tuple[forms.BoundField, forms.BoundField]:
        value, why = self.targets[key]
        return self[value], self[why]

    def values(self) -> Iterator[tuple[AnswerKey, int | None, str]]:
        """Yield each target, its level, if chosen, and the text."""
        for key, (value, why) in self.targets.items():
            yield key, self.cleaned_data.get(value), self.cleaned_data.get(why, "")


class AdjudicationForm(TargetsForm):
    """An empty choice leaves a target open, or withdraws its adjudicated answer."""

    def __init__(self, *args: Any, item: Item, case: AdjudicationItem, **values: Any) -> None:
        super().__init__(*args, **values)
        for criterion, target in case.displayed_targets(item):
            key = (criterion.name, target)
            row = case.adjudicated.get(key)
            if case.is_open(key):
                self.ask(criterion, target, initial=(row.value, row.reason) if row else ("", ""))

    def answers(self) -> dict[AnswerKey, AdjudicatedAnswer | None]:
        """The answers to save; None for an open target."""
        return {
            key: None if value is None else AdjudicatedAnswer(value=value, reason=reason)
            for key, value, reason in self.values()
        }
