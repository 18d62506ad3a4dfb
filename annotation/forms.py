"""Forms of campaigns."""

from typing import Any

from django import forms
from django.conf import settings

from annotation.counting import decisive
from annotation.drawing import too_few
from annotation.models import Campaign, Membership
from annotation.options_field import OptionsField, complaint
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire
from annotation.runs_field import RunsField
from rarrweb.accounts.models import User


def _named(questionnaire: Questionnaire) -> str:
    return f"{questionnaire.title} — {questionnaire.summary}"


class NewCampaignForm(forms.Form):
    """What to judge, and how often."""

    name = forms.CharField(
        max_length=200,
        help_text="Raters read this name, so leave out the system and what you hope to find.",
    )
    run = RunsField()
    questionnaire = forms.ChoiceField(
        label="What to ask",
        choices=lambda: [(name, _named(load_questionnaire(name))) for name in QUESTIONNAIRES],
        widget=forms.RadioSelect,
        initial="attribution",
        required=False,
    )
    sides = forms.ChoiceField(
        label="What to judge",
        required=False,
        help_text="Intent similarity always compares the two. Manual revision takes one.",
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
        label="Raters per item",
        help_text="The RARR paper takes one, trained before; three let you measure reliability.",
    )
    most_raters = forms.IntegerField(
        min_value=2,
        max_value=20,
        required=False,
        label="Up to, where raters differ",
        help_text="Empty: never more. Otherwise an item whose raters differ gets one rater after "
        "the other, until of every answer two say the same, or until it has had so many.",
    )
    may_repeat_passages = forms.BooleanField(
        required=False,
        label="One rater may judge a passage more than once",
        help_text="Otherwise who has seen a passage before its revision never sees it after, and "
        "who has seen one system’s revision of it sees no other’s: so it takes more raters.",
    )
    sampling = forms.ChoiceField(
        label="Which passages",
        required=False,
        choices=[
            (Campaign.Sampling.ALL, "All of them"),
            (Campaign.Sampling.RANDOM, "Some, drawn at random"),
            (
                Campaign.Sampling.UNCERTAIN,
                "Some, those that auto-AIS is unsure of more readily — weights keep figures "
                "unbiased",
            ),
        ],
        widget=forms.RadioSelect,
        initial=Campaign.Sampling.ALL,
    )
    sample_size = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        label="How many passages to draw",
        help_text="Only where some are drawn; of all runs together. Both sides of a passage go "
        "together, and runs over one dataset give the same passages as far as they can.",
    )
    allocation = forms.ChoiceField(
        label="How many of each run",
        required=False,
        choices=[
            (Campaign.Allocation.PROPORTIONAL, "Each by its share, at least one"),
            (
                Campaign.Allocation.EQUAL,
                "As many of each — figures of small runs are as sure as those of large ones",
            ),
        ],
        widget=forms.RadioSelect,
        initial=Campaign.Allocation.PROPORTIONAL,
    )
    pilot_size = forms.IntegerField(
        min_value=0,
        max_value=1_000_000,
        required=False,
        label="Passages in a pilot",
        help_text="Judged first and told apart in every figure, so that you can mend the "
        "instructions before the rest begins. Empty: no pilot.",
    )
    pilot_raters = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=3,
        required=False,
        label="Raters per item in the pilot",
    )
    options = OptionsField()
    seed = forms.CharField(
        max_length=100,
        required=False,
        label="Seed",
        help_text="Any word or number. The same seed draws the same passages and the same order "
        "again. Empty: one is made of the campaign’s address.",
    )

    RARELY = (
        "options", "most_raters", "may_repeat_passages", "sampling", "sample_size", "allocation",
        "pilot_size", "pilot_raters", "seed",
    )  # fmt: skip
    """What a simple campaign leaves as it is; the page folds them away."""

    def rarely(self) -> list[forms.BoundField]:
        """The fields that the page folds away."""
        return [self[name] for name in self.RARELY]

    def is_unfolded(self) -> bool:
        """Whether something there is wrong, or is not as a simple campaign has it."""
        if any(name in self.errors for name in self.RARELY):
            return True
        plain = {
            "sampling": "all", "allocation": "proportional", "pilot_raters": "3",
            "pilot_size": "0",
        }  # fmt: skip
        return any(
            str(self[name].value() or "") not in {"", "False", plain.get(name, "")}
            for name in self.RARELY
        )

    def clean_pilot_size(self) -> int:
        return self.cleaned_data["pilot_size"] or 0

    def clean_pilot_raters(self) -> int:
        return self.cleaned_data["pilot_raters"] or 3

    def clean_sampling(self) -> str:
        return self.cleaned_data["sampling"] or Campaign.Sampling.ALL.value

    def clean_allocation(self) -> str:
        return self.cleaned_data["allocation"] or Campaign.Allocation.PROPORTIONAL.value

    def clean_questionnaire(self) -> str:
        """Attribution where nothing is said, as before there was a choice."""
        return self.cleaned_data["questionnaire"] or "attribution"

    def clean(self) -> dict[str, Any]:
        """The side that the questionnaire has, where it leaves no choice."""
        data = super().clean() or self.cleaned_data
        sides = load_questionnaire(data.get("questionnaire", "attribution")).sides
        if len(sides) == 1:
            data["sides"] = sides[0]
        elif not data.get("sides") and "sides" not in self.errors:
            self.add_error("sides", "Choose what to judge.")
        elif data.get("sides") not in sides and "sides" not in self.errors:
            self.add_error("sides", "This questionnaire judges one side: choose before or after.")
        wrong = complaint(data.get("questionnaire", "attribution"), data.get("options", []))
        if wrong:
            self.add_error("options", wrong)
        self._clean_raters(data)
        self._clean_sample(data)
        # Its fields go by the name that a link to this form has: `?run=3&run=5`.
        data["runs"] = list(data.pop("run", ()))
        return data

    def _clean_raters(self, data: dict[str, Any]) -> None:
        """Raters that are added one by one need two to begin with, and something to agree on."""
        first, most = data.get("raters_per_item"), data.get("most_raters")
        if not most or first is None:
            return
        kind = load_questionnaire(data.get("questionnaire", "attribution"))
        if not decisive(kind):
            self.add_error(
                "most_raters",
                "This questionnaire asks for a text, and two texts are never the same: "
                "leave it empty.",
            )
        elif first < 2:
            self.add_error(
                "most_raters",
                "One rater alone cannot differ: begin with two raters per item, or leave it empty.",
            )
        elif most < first:
            self.add_error(
                "most_raters", f"It is less than the {first} raters that every item gets."
            )
        elif most == first:
            data["most_raters"] = None

    def _clean_sample(self, data: dict[str, Any]) -> None:
        if data.get("sampling") == Campaign.Sampling.ALL:
            data["sample_size"] = None
        elif not data.get("sample_size") and "sample_size" not in self.errors:
            self.add_error("sample_size", "Say how many passages are to be drawn.")
        size, pilot = data.get("sample_size"), data.get("pilot_size") or 0
        runs = len(data.get("run") or ())
        if size and size < runs:
            self.add_error("sample_size", too_few(runs))
        if size and pilot >= size:
            self.add_error(
                "pilot_size",
                f"Of {size:,} passages drawn the pilot must leave some for production: "
                f"take fewer than {size:,}.",
            )

    def __init__(self, *args: Any, user: User, **values: Any) -> None:
        super().__init__(*args, **values)
        field = self.fields["run"]
        assert isinstance(field, RunsField)  # noqa: S101
        field.offer(user)


class DraftForm(NewCampaignForm):
    """What a draft says, to be changed before anybody sees it."""

    leaves_out_copied = forms.BooleanField(
        required=False,
        label="Leave out the passages of the campaign that this one is a copy of",
    )

    def __init__(self, *args: Any, draft: Campaign, user: User, **values: Any) -> None:
        fields = (*self.base_fields,)
        initial = {name: getattr(draft, name) for name in fields if hasattr(draft, name)}
        initial["run"] = list(draft.runs.order_by().values_list("pk", flat=True))
        super().__init__(*args, user=user, **{"initial": initial, **values})
        if draft.copied_from_id is None:
            del self.fields["leaves_out_copied"]


class RoleField(forms.ChoiceField):
    """What somebody does in a campaign; who says nothing becomes a rater."""

    def __init__(self) -> None:
        super().__init__(
            label="Takes part as",
            choices=[
                (Membership.Role.ANNOTATOR, "rater — judges items"),
                (Membership.Role.ADJUDICATOR, "adjudicator — settles what raters differ about"),
            ],
            initial=Membership.Role.ANNOTATOR,
            required=False,
        )

    def clean(self, value: Any) -> str:
        return super().clean(value) or Membership.Role.ANNOTATOR.value


class InviteForm(forms.Form):
    """A link for one person."""

    note = forms.CharField(
        label="For whom",
        max_length=200,
        required=False,
        help_text="A name or a number, so that you know the link again.",
    )
    days = forms.IntegerField(
        label="Days until it expires",
        min_value=1,
        max_value=90,
        initial=lambda: settings.INVITATION_DAYS,
    )
    role = RoleField()


class MemberForm(forms.Form):
    """Somebody who has an account already."""

    username = forms.CharField(label="User name", max_length=150)
    role = RoleField()

    def clean_username(self) -> User:
        """The person of that name."""
        name = self.cleaned_data["username"].strip()
        person = User.objects.filter(username__iexact=name, is_active=True).first()
        if person is None:
            raise forms.ValidationError(
                f"Nobody here is called “{name}”. Invite them with a link instead."
            )
        return person
