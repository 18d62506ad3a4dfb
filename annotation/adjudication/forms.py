"""Forms with a level and a text for each target of an item."""

from collections.abc import Iterator
from typing import Any

from django import forms

from annotation.adjudication.cases import REASON_LIMIT, AdjudicatedAnswer, AdjudicationItem
from annotation.models import Item
from annotation.results.labels import Target


class TargetsForm(forms.Form):
    prefixes = ("value", "reason")
    """Of a target's field names."""

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.targets: dict[Target, tuple[str, str]] = {}

    def ask(
        self,
        key: Target,
        choices: list[tuple[int | str, str]],
        *,
        labels: tuple[str, str],
        held: tuple[int, str] | None,
    ) -> None:
        """Add a target's fields, with the initial values `held`."""
        first, second = self.prefixes
        value, why = f"{first}-{key[0]}-{key[1]}", f"{second}-{key[0]}-{key[1]}"
        self.targets[key] = (value, why)
        self.fields[value] = forms.TypedChoiceField(
            label=labels[0],
            choices=choices,
            coerce=int,
            empty_value=None,
            required=False,
            widget=forms.RadioSelect,
            initial=held[0] if held else "",
        )
        self.fields[why] = forms.CharField(
            label=labels[1],
            max_length=REASON_LIMIT,
            required=False,
            widget=forms.Textarea(attrs={"rows": 2}),
            initial=held[1] if held else "",
        )

    def fields_of(self, key: Target) -> tuple[forms.BoundField, forms.BoundField]:
        value, why = self.targets[key]
        return self[value], self[why]

    def values(self) -> Iterator[tuple[Target, int | None, str]]:
        """Yield each target, its level, if chosen, and the text."""
        for key, (value, why) in self.targets.items():
            yield key, self.cleaned_data.get(value), self.cleaned_data.get(why, "")


class AdjudicationForm(TargetsForm):
    """An empty choice leaves a target open, or withdraws its adjudicated answer."""

    def __init__(self, *args: Any, item: Item, case: AdjudicationItem, **values: Any) -> None:
        super().__init__(*args, **values)
        none = "not settled"
        labels = ("Settled answer", "Reason")
        for criterion, target in case.displayed_targets(item):
            levels = [(level.value, level.label) for level in reversed(criterion.levels)]
            key = (criterion.name, target)
            row = case.adjudicated.get(key)
            held = (row.value, row.reason) if row else None
            if case.is_open(key):
                self.ask(key, [*levels, ("", none)], labels=labels, held=held)

    def answers(self) -> dict[Target, AdjudicatedAnswer | None]:
        """The answers to save; None for an open target."""
        return {
            key: None if value is None else AdjudicatedAnswer(value=value, reason=reason)
            for key, value, reason in self.values()
        }
