"""Forms of training and gold items: the campaign's settings, an item's right answers."""

from typing import Any

from django import forms

from annotation.adjudication.forms import TargetsForm
from annotation.models import CheckSettings, Item
from annotation.quality_control.reference_answers import Right, checkable
from annotation.results.labels import Target

USES = [
    (Item.Use.TRAINING, "Training: new raters judge it first, and are then told what is right"),
    (Item.Use.GOLD, "Gold: mixed in among the others and looking like them; nobody is told"),
]


class CheckSettingsForm(forms.ModelForm):
    # Own fields: the model's have no maximum.
    pass_percent = forms.IntegerField(
        label="Pass mark (%)", min_value=1, max_value=100,
        help_text="Share of right answers to the training items that a rater needs.",
    )  # fmt: skip
    attempts = forms.IntegerField(
        label="Attempts", min_value=1, max_value=100,
        help_text="How often a rater may repeat the training. You can always allow one more.",
    )  # fmt: skip
    gold_every = forms.IntegerField(
        label="Items per gold item", min_value=2, max_value=1000,
        help_text="10 makes one item in ten gold, at a random place.",
    )  # fmt: skip
    pause_percent = forms.IntegerField(
        label="Pause below (%)", min_value=1, max_value=100, required=False,
        help_text="A rater below this share gets no further items until you resume them. Empty: "
        "nobody is paused.",
    )  # fmt: skip
    pause_targets = forms.IntegerField(
        label="Gold answers for the pause", min_value=1, max_value=1000,
        help_text="The share is calculated over this many answers. Nobody is paused before giving "
        "as many.",
    )  # fmt: skip

    class Meta:
        model = CheckSettings
        fields = ["pass_percent", "attempts", "gold_every", "pause_percent", "pause_targets"]


class UseForm(forms.Form):
    use = forms.ChoiceField(label="Use it for", choices=USES, widget=forms.RadioSelect)


class ReferenceAnswersForm(UseForm, TargetsForm):
    """The right answers of an item, and why; an empty choice is none."""

    prefixes = ("right", "why")

    def __init__(self, *args: Any, item: Item, held: dict[Target, Right], **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["use"].initial = item.use or Item.Use.GOLD
        for criterion in checkable(item.campaign):
            levels = [(level.value, level.label) for level in reversed(criterion.levels)]
            for target in criterion.displayed_targets(item):
                right = held.get((criterion.name, target))
                self.ask(
                    (criterion.name, target),
                    [*levels, ("", "no right answer")],
                    labels=("Right answer", "Why"),
                    held=(right.value, right.why) if right else None,
                )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not self.answers():
            raise forms.ValidationError("Give the right answer to at least one question.")
        return cleaned

    def answers(self) -> dict[Target, Right]:
        """The answers, without empty choices."""
        return {
            key: Right(value=value, why=why)
            for key, value, why in self.values()
            if value is not None
        }
