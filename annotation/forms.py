"""Forms of campaigns."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Count, Q

from annotation.models import Campaign, Membership
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire
from pipeline.models import Revision, Run
from rarrweb.accounts.models import User


def _named(questionnaire: Questionnaire) -> str:
    return f"{questionnaire.title} — {questionnaire.summary}"


class RunChoiceField(forms.ModelChoiceField):
    def label_from_instance(self, run: Run) -> str:
        done = getattr(run, "done", 0)
        return f"Run {run.pk}: {run.system} over {run.dataset.name} ({done:,} revised)"


class NewCampaignForm(forms.Form):
    """What to judge, and how often."""

    name = forms.CharField(
        max_length=200,
        help_text="Raters read this name, so leave out the system and what you hope to find.",
    )
    run = RunChoiceField(
        queryset=Run.objects.none(),
        empty_label="Choose a run",
        help_text="Only its finished revisions go in, as they are now.",
    )
    questionnaire = forms.ChoiceField(
        label="What to ask",
        choices=[(name, _named(load_questionnaire(name))) for name in QUESTIONNAIRES],
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
        return data

    def __init__(self, *args: Any, user: User, **values: Any) -> None:
        super().__init__(*args, **values)
        field = self.fields["run"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101
        field.queryset = (
            Run.objects.visible_to(user)
            .select_related("dataset")
            .annotate(done=Count("revisions", filter=Q(revisions__state=Revision.State.DONE)))
            .filter(done__gt=0)
        )


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
