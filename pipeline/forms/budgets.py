"""The budget of a run."""

from collections.abc import Iterable

from django import forms

from pipeline.engine.configuration import BUDGETS


class BudgetForm(forms.Form):
    """Empty or 0 means no limit."""

    GROUPS: dict[str, Iterable[str]] = {"budget": BUDGETS}

    budget_calls = forms.IntegerField(
        required=False, min_value=0, label="Maximum model calls", help_text="0 means no limit."
    )
    budget_tokens = forms.IntegerField(
        required=False,
        min_value=0,
        label="Maximum tokens",
        help_text="Prompts and answers together. Calls already sent may exceed it.",
    )
    budget_cost = forms.FloatField(
        required=False,
        min_value=0,
        label="Maximum cost",
        help_text="At the prices in RARR_LLM_PRICE_INPUT and RARR_LLM_PRICE_OUTPUT, in their "
        "currency.",
        widget=forms.NumberInput(attrs={"step": "any", "min": 0}),
    )

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        return {group: [self[name] for name in names] for group, names in self.GROUPS.items()}
