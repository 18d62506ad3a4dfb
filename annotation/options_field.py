"""What a campaign may ask beyond what its questionnaire always asks, to be ticked in a form."""

from collections.abc import Sequence

from django import forms

from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire


def _choices() -> list[tuple[str, str]]:
    """The options of every questionnaire, each named with it."""
    kinds = [load_questionnaire(name) for name in QUESTIONNAIRES]
    return [
        (option.name, f"{kind.title}: {option.label} — {option.help}")
        for kind in kinds
        for option in kind.options
    ]


class OptionsField(forms.MultipleChoiceField):
    """The names of options."""

    def __init__(self) -> None:
        super().__init__(
            label="More answers",
            choices=_choices,
            widget=forms.CheckboxSelectMultiple,
            required=False,
        )


def complaint(questionnaire: str, chosen: Sequence[str]) -> str:
    """Why the questionnaire cannot have these options, in a sentence; empty where it can."""
    kind = load_questionnaire(questionnaire)
    known = {option.name for option in kind.options}
    if all(name in known for name in chosen):
        return ""
    return f"{kind.title} has no such answers: untick them, or choose another thing to ask."
