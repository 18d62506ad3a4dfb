"""Forms of training and gold items: the campaign's settings, and what is right about an item."""

from typing import Any

from django import forms

from annotation.models import CheckSettings, Item
from annotation.questionnaires.types import Criterion
from annotation.right_answers import WHY_LIMIT, Right, Target, checkable

UPLOAD_LIMIT = 10 * 1024 * 1024

USES = [
    (Item.Use.TRAINING, "Training: new raters judge it first, and are then told what is right"),
    (Item.Use.GOLD, "Gold: mixed in among the others and looking like them; nobody is told"),
]


class CheckSettingsForm(forms.ModelForm):
    """How raters are trained and checked."""

    class Meta:
        model = CheckSettings
        fields = ["pass_percent", "tries", "gold_every", "pause_percent", "pause_targets"]
        labels = {
            "pass_percent": "Pass mark, in per cent",
            "tries": "Tries",
            "gold_every": "One gold item in every",
            "pause_percent": "Pause below, in per cent",
            "pause_targets": "Over the last gold answers",
        }
        help_texts = {
            "pass_percent": "Of the answers to all training items, so many must be right.",
            "tries": "How often a rater may train. You can always give one more.",
            "gold_every": "Items, at a place drawn anew each time. 10 makes one item in ten gold.",
            "pause_percent": "A rater who is right less often gets no further items until you let "
            "them go on. Leave it empty to pause nobody.",
            "pause_targets": "How many answers the share is taken over, and that a rater must have "
            "given before a pause can begin.",
        }

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["pause_percent"].required = False
        for name, least, most in (
            ("pass_percent", 1, 100),
            ("tries", 1, 100),
            ("gold_every", 2, 1000),
            ("pause_percent", 1, 100),
            ("pause_targets", 1, 1000),
        ):
            self.fields[name] = _between(self.fields[name], least, most)


class UseForm(forms.Form):
    """What an item is for."""

    use = forms.ChoiceField(label="Use it for", choices=USES, widget=forms.RadioSelect)


class UploadForm(forms.Form):
    """A file of right answers."""

    file = forms.FileField(label="File of right answers (JSON lines)")
    use = forms.ChoiceField(
        label="Where a line does not say what for",
        choices=USES,
        widget=forms.RadioSelect,
        initial=Item.Use.GOLD,
    )

    def clean_file(self) -> Any:
        """A file small enough to be read in the request."""
        file = self.cleaned_data["file"]
        if file.size > UPLOAD_LIMIT:
            raise forms.ValidationError(
                f"The file has {file.size / 1e6:.1f} MB: cut it into files of at most 10 MB, or "
                "use the command load_right_answers."
            )
        return file


class RightAnswersForm(UseForm):
    """The right answer to each question of an item, with a word why; empty ones have none."""

    field_order = None

    def __init__(self, *args: Any, item: Item, held: dict[Target, Right], **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["use"].initial = item.use or Item.Use.GOLD
        self.targets: list[tuple[Criterion, int]] = [
            (criterion, target)
            for criterion in checkable(item.campaign)
            for target in criterion.asked(item)
        ]
        for criterion, target in self.targets:
            right = held.get((criterion.name, target))
            self.fields[value_name(criterion.name, target)] = forms.TypedChoiceField(
                label="Right answer",
                choices=[
                    *((level.value, level.label) for level in reversed(criterion.levels)),
                    ("", "no right answer"),
                ],
                coerce=int,
                empty_value=None,
                required=False,
                widget=forms.RadioSelect,
                initial=right.value if right else "",
            )
            self.fields[why_name(criterion.name, target)] = forms.CharField(
                label="Why",
                max_length=WHY_LIMIT,
                required=False,
                widget=forms.Textarea(attrs={"rows": 2}),
                initial=right.why if right else "",
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not self.answers():
            raise forms.ValidationError("Give the right answer to at least one question.")
        return cleaned

    def answers(self) -> dict[Target, Right]:
        """What the form says is right; a question left open is not among them."""
        found: dict[Target, Right] = {}
        for criterion, target in self.targets:
            value = self.cleaned_data.get(value_name(criterion.name, target))
            if value is not None:
                why = self.cleaned_data.get(why_name(criterion.name, target), "")
                found[criterion.name, target] = Right(value=value, why=why)
        return found


def value_name(criterion: str, target: int) -> str:
    return f"right-{criterion}-{target}"


def why_name(criterion: str, target: int) -> str:
    return f"why-{criterion}-{target}"


def _between(field: forms.Field, least: int, most: int) -> forms.Field:
    """The same field with ends that a browser and a program are both held to."""
    return forms.IntegerField(
        label=field.label,
        help_text=field.help_text,
        required=field.required,
        initial=field.initial,
        min_value=least,
        max_value=most,
    )
