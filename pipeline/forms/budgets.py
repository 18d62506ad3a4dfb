"""The limits on what a run may spend on a language model: when it starts, and when it goes on."""

from collections.abc import Iterator
from typing import Any

from django import forms

from pipeline.engine import BUDGETS, parse_budget
from pipeline.rarr.types import BadConfig


class BudgetForm(forms.Form):
    """Cleans into `cleaned_data["budget"]`; an empty field, and 0, is no limit."""

    budget_calls = forms.IntegerField(
        required=False, min_value=0, label="Most calls of the model", help_text="0 is no limit."
    )
    budget_tokens = forms.IntegerField(
        required=False,
        min_value=0,
        label="Most tokens",
        help_text="Of prompts and answers together; calls under way may pass it.",
    )
    budget_cost = forms.FloatField(
        required=False,
        min_value=0,
        label="Most money",
        help_text="By the prices of RARR_LLM_PRICE_INPUT and RARR_LLM_PRICE_OUTPUT, in their "
        "currency.",
        widget=forms.NumberInput(attrs={"step": "any", "min": 0}),
    )

    def budget_fields(self) -> Iterator[forms.BoundField]:
        return (self[name] for name in BUDGETS)

    @property
    def has_budget_errors(self) -> bool:
        return any(name in self.errors for name in BUDGETS)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if any(name in self.errors for name in BUDGETS):
            return cleaned
        given = {name: cleaned[name] for name in BUDGETS if cleaned.get(name) is not None}
        try:
            cleaned["budget"] = parse_budget(given)
        except BadConfig as error:
            name = str(error).split("=", 1)[0].split(" ", 1)[0]
            self.add_error(name if name in BUDGETS else None, str(error))
        return cleaned
