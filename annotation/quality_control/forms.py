"""Forms of training and gold items: the campaign's settings, an item's right answers."""

from typing import Any

from django import forms

from annotation.adjudication.forms import TargetsForm
from annotation.models import CheckSettings, Item
from annotation.quality_control.reference_answers import Right, checkable
from annotation.quality_control.training import MIN_ITEMS, items_per_attempt
from annotation.results.labels import AnswerKey

USES = [
    (Item.Use.TRAINING, "Training: new raters judge it first, and then see the right answers"),
    (Item.Use.GOLD, "Gold: mixed in among the others and looking like them; nobody is told"),
]


class CheckSettingsForm(forms.ModelForm):
    class Meta:
        model = CheckSettings
        labels = {
            "pass_percent": "Pass mark (%)",
            "attempts": "Attempts",
            "gold_every": "Items per gold item",
            "pause_percent": "Pause below (%)",
            "pause_targets": "Gold answers for the pause",
        }
        fields = [*labels]
        help_texts = {
            "pass_percent": "Share of right answers to the training items that a rater needs.",
            "attempts": "How often a rater may take the training.",
            "gold_every": "10 makes one item in ten gold, at a random place.",
            "pause_percent": "A rater below this share gets no further items until you resume "
            "them. Empty: nobody is paused.",
            "pause_targets": "The share is calculated over this many answers. Nobody is paused "
            "before giving as many.",
        }

    def __init__(self, *args: Any, training_items: int, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["pause_percent"].required = False
        if training_items:
            attempts = self.instance.attempts
            each = items_per_attempt(training_items, attempts)
            needed = MIN_ITEMS * attempts
            self.fields["attempts"].help_text += (
                f" Each has other items: {each} of the {training_items:,} training items."
                if training_items >= needed
                else f" Too few training items for other ones each time: {training_items} of "
                f"{needed}. Later attempts are shorter, repeat items or are not given."
            )


class UseForm(forms.Form):
    use = forms.ChoiceField(label="Use it for", choices=USES, widget=forms.RadioSelect)


class ReferenceAnswersForm(UseForm, TargetsForm):
    """The right answers of an item, and why; an empty choice is none."""

    prefixes = ("right", "why")
    labels = ("Right answer", "Why", "no right answer")

    def __init__(
        self, *args: Any, item: Item, given: dict[AnswerKey, Right], **values: Any
    ) -> None:
        super().__init__(*args, **values)
        self.fields["use"].initial = item.use or Item.Use.GOLD
        for criterion in checkable(item.campaign):
            for target in criterion.displayed_targets(item):
                right = given.get((criterion.name, target))
                initial = (right.value, right.why) if right else ("", "")
                self.ask(criterion, target, initial=initial)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not self.answers():
            raise forms.ValidationError("Give the right answer to at least one question.")
        return cleaned

    def answers(self) -> dict[AnswerKey, Right]:
        """The answers, without empty choices."""
        return {
            key: Right(value=value, why=why)
            for key, value, why in self.values()
            if value is not None
        }
