from collections.abc import Mapping, Sequence
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

COMMON = ("attribution", "intent")
"""The questionnaires of the RARR paper, which the form lists first."""


def _kinds() -> list[Questionnaire]:
    return [load_questionnaire(name) for name in QUESTIONNAIRES]


def _questionnaires() -> list[tuple[str, str]]:
    return [(kind.name, kind.title) for kind in _kinds()]


def _options() -> list[tuple[str, str]]:
    return [
        (option.name, f"{option.label}. {option.help}")
        for kind in _kinds()
        for option in kind.options
    ]


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with finished revisions; rendered by annotation/_runs.html."""

    def __init__(self) -> None:
        super().__init__(
            queryset=Run.objects.none(),
            label="Runs",
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


def newest_runs(user: User) -> list[Run]:
    """Return the newest run with finished revisions, and those started with it."""
    runs = runs_to_judge(user)
    newest = runs.order_by("-pk").first()
    if newest is None or newest.group is None:
        return [newest] if newest else []
    return list(runs.filter(group=newest.group))


def run_choices(form: forms.Form) -> dict[str, Any]:
    """Return the chosen runs, and the offered ones by dataset. One query.

    A run has its number of revised passages and its position.
    """
    field = form["run"]
    chosen = set(field.value() or ())
    assert isinstance(field.field, RunsField)  # noqa: S101
    rows = [
        {"run": run, "done": run.done, "is_chosen": run.pk in chosen, "number": number}
        for number, run in enumerate(field.field.queryset or ())
    ]
    by_dataset = groupby(rows, key=lambda each: each["run"].dataset)
    return {
        "offered": [(dataset.name, list(runs)) for dataset, runs in by_dataset],
        "chosen_runs": [each["run"] for each in rows if each["is_chosen"]],
    }


class SettingsForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        validators=[check_name],
        help_text="Raters see it, so do not mention the system or your hypothesis.",
    )
    run = RunsField()
    sides = forms.ChoiceField(
        label="Texts",
        required=False,
        choices=[
            (Campaign.Side.BOTH, "Before and after revision"),
            (Campaign.Side.AFTER, "Only after revision"),
            (Campaign.Side.BEFORE, "Only before revision"),
        ],
    )
    raters_per_item = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=1,
        help_text="2 or more measure reliability.",
    )
    sample_size = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        label="Passages per run",
        widget=forms.NumberInput(attrs={"placeholder": "all"}),
        help_text="Fewer: a random sample, the same for each system.",
    )
    max_raters = forms.IntegerField(
        min_value=2,
        max_value=20,
        required=False,
        label="Maximum raters on disagreement",
        widget=forms.NumberInput(attrs={"placeholder": "no more raters"}),
        help_text="An item gets more raters until two agree on every answer.",
    )
    may_repeat_passages = forms.BooleanField(
        required=False,
        initial=True,
        label="One rater may judge several versions of a passage",
        help_text="They are far apart and unlabelled. Unticked, each rater sees a passage once: "
        "two sides of three systems then take six raters.",
    )
    pilot_size = forms.IntegerField(
        min_value=0,
        max_value=1_000_000,
        required=False,
        label="Pilot size, in passages",
        widget=forms.NumberInput(attrs={"placeholder": "no pilot"}),
        help_text="Judged first, with results of their own, so that you can improve the "
        "instructions.",
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
        help_text="The same word gives the same sample and order.",
    )

    excluded_problems = forms.MultipleChoiceField(
        label="Exclude answers",
        choices=list(PROBLEMS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text="HAGRID excludes answers that break the form of citing, as in [1].",
    )

    def is_unfolded(self) -> bool:
        """Tell whether an option has an error or is not at its default."""
        for field in (self[name] for name in ("name", *ADVANCED)):
            default = field.field.initial
            default = default() if callable(default) else default
            is_changed = field.field.has_changed(default, field.value())
            if field.errors or (is_changed and field.name != "name"):
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
        has_effect = {option.name for kind in kinds for option in kind.options}
        data["options"] = [each for each in data.get("options", ()) if each in has_effect]
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
        """Return the chosen side, or the only one that the questionnaire or the runs have."""
        if len(kind.sides) == 1:
            return kind.sides[0]
        if not any(run.has_revised_texts for run in data["runs"]):
            return Campaign.Side.BEFORE
        return str(data.get("sides") or Campaign.Side.BOTH)

    def kinds(self) -> dict[str, Any]:
        """Return the questionnaires, each with whether it is chosen."""
        given = self["questionnaire"].value() or ()
        chosen = {given} if isinstance(given, str) else set(given)
        rows = {kind.name: {"kind": kind, "is_chosen": kind.name in chosen} for kind in _kinds()}
        return {
            "common": [rows.pop(name) for name in COMMON],
            "others": list(rows.values()),
            "is_unfolded": not chosen <= {*COMMON},
            "count": len(chosen),
        }


class NewCampaignForm(PeopleChoice, SettingsForm):
    """One campaign for each chosen questionnaire, over the same runs with the same raters."""

    questionnaire = forms.MultipleChoiceField(
        label="What to ask", choices=_questionnaires, initial=["attribution"], required=False
    )

    def __init__(self, *args: Any, user: User, **values: Any) -> None:
        super().__init__(*args, user=user, **values)
        self.fields["run"].queryset = runs_to_judge(user)  # type: ignore[attr-defined]  # a RunsField
        name = self.fields["name"]
        name.required = False
        name.widget.attrs["placeholder"] = "the dataset’s name"

    def chosen(self) -> dict[str, Any]:
        data = self.cleaned_data
        kinds = self.kinds_of(data)
        names = [name for name in SETTINGS if name in data and name != "questionnaire"]
        return {name: data[name] for name in names} | {
            "questionnaires": [kind.name for kind in kinds],
            "sides": {kind.name: self.side_of(kind, data) for kind in kinds},
            "name": data["name"],
            "raters": self.chosen_people(),
        }


class DraftForm(SettingsForm):
    questionnaire = forms.TypedChoiceField(
        label="What to ask",
        empty_value="attribution",
        choices=_questionnaires,
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
        initial["pilot_size"] = draft.pilot_size or None
        initial["run"] = list(draft.runs.order_by().values_list("pk", flat=True))
        super().__init__(*args, **{"initial": initial, **values})
        self.fields["run"].queryset = runs_to_judge(user)  # type: ignore[attr-defined]  # a RunsField
        if draft.copied_from_id is None:
            del self.fields["excludes_copied"]
