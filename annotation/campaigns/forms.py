from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet

from annotation.campaigns.creation import check_settings
from annotation.campaigns.lifecycle import ADVANCED, SETTINGS
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire
from annotation.raters.forms import PeopleChoice
from pipeline.generation.answer_format import PROBLEMS
from pipeline.models import Revision, Run
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts.models import User
from rarrweb.web.names import check_name
from rarrweb.web.paging import key_of

THREE_SIDES = (Campaign.Side.BOTH, Campaign.Side.BEFORE, Campaign.Side.AFTER)
"""The sides of most questionnaires, chosen in one field."""


def _kinds() -> list[Questionnaire]:
    return [load_questionnaire(name) for name in QUESTIONNAIRES]


def _questionnaires() -> list[tuple[str, str]]:
    return [(kind.name, f"{kind.title} — {kind.summary}") for kind in _kinds()]


def _has_other_sides(kind: Questionnaire) -> bool:
    return len(kind.sides) > 1 and set(kind.sides) != set(THREE_SIDES)


def _options() -> list[tuple[str, str]]:
    return [
        (option.name, f"{kind.title}: {option.label} — {option.help}")
        for kind in _kinds()
        for option in kind.options
    ]


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with finished revisions; rendered by annotation/_runs.html."""

    def __init__(self) -> None:
        super().__init__(
            queryset=Run.objects.none(),
            label="Runs",
            help_text="One, or several to compare systems or datasets. Only their finished "
            "revisions go in, as they are now.",
            error_messages={
                "required": "Choose at least one run.",
                "invalid_choice": "Run %(value)s is gone, or has nothing revised: choose others.",
            },
        )

    def prepare_value(self, value: Any) -> Any:
        """Return the keys, dropping values that are none."""
        many = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        keys = [each.pk if isinstance(each, Run) else key_of(str(each)) for each in many]
        return [key for key in keys if key is not None]


def runs_to_judge(user: User) -> QuerySet[Run]:
    """Runs with finished revisions, by dataset, newest first, annotated with `done`."""
    done = Count("revisions", filter=Q(revisions__state=Revision.State.DONE))
    return (
        Run.objects.visible_to(user)
        .current()
        .select_related("dataset", "corpus")
        .annotate(done=done)
        .filter(done__gt=0)
        .order_by("dataset__name", "dataset", "-pk")
    )


def offered(field: forms.BoundField) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Group the runs by dataset, each with whether it is chosen. One query.

    A run has its number of revised passages and its position.
    """
    chosen = set(field.value() or ())
    assert isinstance(field.field, RunsField)  # noqa: S101
    numbered = enumerate(field.field.queryset or ())
    for dataset, runs in groupby(numbered, key=lambda each: each[1].dataset):
        choices = [
            {"run": run, "done": run.done, "is_chosen": run.pk in chosen, "number": number}
            for number, run in runs
        ]
        yield dataset.name, choices


class SettingsForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        validators=[check_name],
        help_text="Raters see it, so do not mention the system or your hypothesis.",
    )
    run = RunsField()
    sides = forms.ChoiceField(
        label="What to judge",
        required=False,
        help_text="Answers of strategies have no revision: choose “Before” for them. Intent "
        "similarity always compares the two.",
        choices=[
            (Campaign.Side.BOTH, "Before and after — the passages and their revisions"),
            (Campaign.Side.BEFORE, "Before — the original passages"),
            (Campaign.Side.AFTER, "After — the revisions"),
        ],
        widget=forms.RadioSelect,
        initial=Campaign.Side.BOTH,
    )
    raters_per_item = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=1,
        help_text="The RARR paper uses one trained rater; three let you measure reliability.",
    )
    max_raters = forms.IntegerField(
        min_value=2,
        max_value=20,
        required=False,
        label="Maximum raters on disagreement",
        help_text="If raters disagree on an item, it gets further raters one by one, until two "
        "give the same answer to every question or this number is reached. Empty: no more raters.",
    )
    may_repeat_passages = forms.BooleanField(
        required=False,
        label="One rater may judge a passage more than once",
        help_text="Otherwise a rater sees each passage only once, either before or after revision "
        "and from only one system: two sides of three systems take six raters.",
    )
    sampling = forms.TypedChoiceField(
        empty_value=Campaign.Sampling.ALL.value,
        label="Which passages",
        required=False,
        choices=[
            (Campaign.Sampling.ALL, "All"),
            (Campaign.Sampling.RANDOM, "Random sample"),
        ],
        widget=forms.RadioSelect,
        initial=Campaign.Sampling.ALL,
    )
    sample_size = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        label="Sample size, in passages",
        help_text="For samples; all runs together. Both sides of a passage stay together, and runs "
        "on one dataset use the same passages where possible.",
    )
    allocation = forms.TypedChoiceField(
        empty_value=Campaign.Allocation.PROPORTIONAL.value,
        label="Sample per run",
        required=False,
        choices=[
            (Campaign.Allocation.PROPORTIONAL, "Proportional to its passages, at least one"),
            (
                Campaign.Allocation.EQUAL,
                "Equal — small runs get figures as precise as large ones",
            ),
        ],
        widget=forms.RadioSelect,
        initial=Campaign.Allocation.PROPORTIONAL,
    )
    pilot_size = forms.IntegerField(
        min_value=0,
        max_value=1_000_000,
        required=False,
        label="Pilot size, in passages",
        help_text="Judged first and shown separately in the results, so that you can improve the "
        "instructions before production. Empty: no pilot.",
    )
    pilot_raters = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=3,
        required=False,
        label="Raters per item in the pilot",
    )
    options = forms.MultipleChoiceField(
        label="Answers",
        choices=_options,
        initial=lambda: [name for kind in _kinds() for name in kind.default_options],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    seed = forms.CharField(
        max_length=100,
        required=False,
        help_text="Any word or number. The same seed gives the same passages in the same order. "
        "Empty: the campaign’s slug is the seed.",
    )

    excluded_problems = forms.MultipleChoiceField(
        label="Exclude answers",
        choices=list(PROBLEMS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="Of strategies, which are asked to cite as in [1]. HAGRID excludes answers "
        "that break the form.",
    )

    def advanced_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ADVANCED]

    def is_unfolded(self) -> bool:
        """Tell whether an advanced field has an error or is not at its default."""
        for field in self.advanced_fields():
            default = field.field.initial
            default = (
                "0" if field.name == "pilot_size" else default() if callable(default) else default
            )
            if field.errors or str(field.value() or "") not in {"", str(default)}:
                return True
        return False

    def clean(self) -> dict[str, Any]:
        """Fill in defaults, and check that the settings fit together."""
        data = super().clean() or self.cleaned_data
        data["pilot_size"] = data.get("pilot_size") or 0
        data["pilot_raters"] = data.get("pilot_raters") or 3
        # Links to this form have `?run=3&run=5`.
        data["runs"] = list(data.pop("run", ()))
        kinds = self.kinds_of(data)
        sides = {kind.name: self.side_of(kind, data) for kind in kinds}
        try:
            data |= check_settings(kinds, data, sides=sides)
        except BadConfig as refusal:
            if refusal.field not in self.errors:
                self.add_error(refusal.field, str(refusal))
        return data

    def kinds_of(self, data: Mapping[str, Any]) -> list[Questionnaire]:
        chosen = data.get("questionnaire") or "attribution"
        names = [chosen] if isinstance(chosen, str) else chosen
        return [kind for kind in _kinds() if kind.name in names]

    def side_of(self, kind: Questionnaire, data: Mapping[str, Any]) -> str:
        """Return the chosen side, suitable or not."""
        if len(kind.sides) == 1:
            return kind.sides[0]
        return str(data.get(f"sides_{kind.name}") or data.get("sides") or "")


class NewCampaignForm(PeopleChoice, SettingsForm):
    """One campaign for each chosen questionnaire, over the same runs with the same raters.

    A field `sides_NAME` for each questionnaire with other sides than most.
    """

    questionnaire = forms.MultipleChoiceField(
        label="What to ask", choices=_questionnaires, initial=["attribution"], required=False
    )
    in_succession = forms.BooleanField(
        label="Right after the attribution of the same passage, as in the RARR paper",
        initial=True,
        required=False,
    )

    def __init__(self, *args: Any, user: User, **values: Any) -> None:
        super().__init__(*args, user=user, **values)
        self.fields["run"].queryset = runs_to_judge(user)  # type: ignore[attr-defined]  # a RunsField
        name = self.fields["name"]
        name.required = False
        name.help_text += " Empty: the dataset’s name. Several campaigns add the questionnaire’s."
        for kind in filter(_has_other_sides, _kinds()):
            labels = {side.value: side.label for side in Campaign.Side}
            self.fields[f"sides_{kind.name}"] = forms.ChoiceField(
                label=f"{kind.title} of",
                choices=[(side, labels[side]) for side in kind.sides],
                initial=kind.sides[0],
                required=False,
            )

    def kinds(self) -> Iterator[dict[str, Any]]:
        """Yield each questionnaire, whether it is chosen, and its field for the side, if any."""
        chosen = self["questionnaire"].value() or ()
        for kind in _kinds():
            sides_field = self[f"sides_{kind.name}"] if _has_other_sides(kind) else None
            yield {"kind": kind, "is_chosen": kind.name in chosen, "sides": sides_field}

    def chosen(self) -> dict[str, Any]:
        data = self.cleaned_data
        kinds = self.kinds_of(data)
        names = [name for name in SETTINGS if name in data and name != "questionnaire"]
        return {name: data[name] for name in names} | {
            "questionnaires": [kind.name for kind in kinds],
            "sides": {kind.name: self.side_of(kind, data) for kind in kinds},
            "name": data["name"],
            "in_succession": data["in_succession"],
            "raters": self.chosen_people(),
        }


class DraftForm(SettingsForm):
    questionnaire = forms.TypedChoiceField(
        label="What to ask",
        empty_value="attribution",
        choices=_questionnaires,
        widget=forms.RadioSelect,
        initial="attribution",
        required=False,
    )

    excludes_copied = forms.BooleanField(
        required=False,
        label="Exclude the passages of the copied campaign",
    )

    def __init__(self, *args: Any, draft: Campaign, user: User, **values: Any) -> None:
        fields = (*self.base_fields,)
        initial = {name: getattr(draft, name) for name in fields if hasattr(draft, name)}
        initial["run"] = list(draft.runs.order_by().values_list("pk", flat=True))
        super().__init__(*args, **{"initial": initial, **values})
        self.fields["run"].queryset = runs_to_judge(user)  # type: ignore[attr-defined]  # a RunsField
        if draft.copied_from_id is None:
            del self.fields["excludes_copied"]
