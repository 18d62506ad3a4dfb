"""The limits on what a run may spend on a language model: when it starts, and when it goes on."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from pipeline.engine.configuration import BUDGETS, parse_budget
from pipeline.models import Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs.costs import spent_by


class BudgetForm(forms.Form):
    """Cleans into `cleaned_data["budget"]`; an empty field, and 0, is no limit."""

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
        """The fields that the page shows together, by the name of their group."""
        return {group: [self[name] for name in names] for group, names in self.GROUPS.items()}

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


class ResumeForm(BudgetForm):
    """The limits under which a run that paused by itself goes on; those not given stay."""

    def __init__(self, given: Mapping[str, Any], *, run: Run) -> None:
        super().__init__(
            {**limits_of(run), **{name: given[name] for name in BUDGETS if name in given}}
        )
        self.run = run

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        budget = cleaned.get("budget")
        if budget and (refusal := budget.refusal(spent_by(self.run), calls=1)):
            self.add_error(None, f"{refusal} Write a higher limit, or 0 for none.")
        return cleaned


def limits_of(run: Run) -> dict[str, float]:
    """The limits that the run has, by their fields' names."""
    return {name: run.config.get(name, 0) for name in BUDGETS}
