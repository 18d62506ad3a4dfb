"""Forms of members, invitations, the consent text and a crowd entry."""

from collections import Counter
from typing import Any
from urllib.parse import quote, urlsplit

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db.models import Exists, OuterRef

from annotation.models import Campaign, ConsentText, Crowd, Membership, Participant
from annotation.questionnaires import load_questionnaire
from annotation.raters.consent import DRAFT, TEXT_LIMIT
from annotation.raters.memberships import people_to_add, raters_of
from rarrweb.accounts.models import User
from rarrweb.accounts.names import normalize_username, username_key
from rarrweb.web.names import check_name
from rarrweb.web.paging import key_of

MAX_PEOPLE = 12
"""Names listed at once; a search finds others."""

NOTE_LENGTH = 200
NAMES_LIMIT = 1_000
MAX_CAMPAIGNS = 50
"""The latest campaigns whose raters can be added."""


class RoleField(forms.ChoiceField):
    """A role; the default is rater."""

    def __init__(self) -> None:
        super().__init__(
            label="Takes part as",
            choices=[
                (Membership.Role.ANNOTATOR, "rater: judges items"),
                (Membership.Role.ADJUDICATOR, "adjudicator: decides where raters differ"),
            ],
            initial=Membership.Role.ANNOTATOR,
            required=False,
        )

    def clean(self, value: Any) -> str:
        return super().clean(value) or Membership.Role.ANNOTATOR.value


class DaysField(forms.IntegerField):
    def __init__(self) -> None:
        super().__init__(
            label="Days until expiry",
            min_value=1,
            max_value=90,
            initial=lambda: settings.INVITATION_DAYS,
        )


class InviteForm(forms.Form):
    note = forms.CharField(
        label="For whom",
        max_length=NOTE_LENGTH,
        required=False,
        validators=[check_name],
        help_text="A name, a number or a group, so that you know the link again.",
    )
    max_uses = forms.IntegerField(
        label="Maximum number of people",
        min_value=1,
        max_value=10_000,
        initial=1,
        help_text="Until then, anyone with the link can join.",
    )
    days = DaysField()
    role = RoleField()

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.auto_id = "link_%s"  # `MemberForm` is on the same page


class PeopleChoice(forms.Form):
    """People chosen in a searchable list or by campaign; see annotation/_people.html."""

    person = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label="People",
        required=False,
        error_messages={"invalid_choice": "One of these people has no open account: tick again."},
    )
    same_as = forms.ModelChoiceField(
        Campaign.objects.none(),
        label="The raters of another campaign",
        required=False,
    )
    q = forms.CharField(label="Find a person", required=False, max_length=150)

    def __init__(
        self, *args: Any, user: User, campaign: Campaign | None = None, **values: Any
    ) -> None:
        super().__init__(*args, **values)
        self.user, self.campaign = user, campaign
        judged = Membership.objects.filter(
            campaign=OuterRef("pk"), role=Membership.Role.ANNOTATOR, user__participation=None
        )
        others = Campaign.objects.led_by(user).filter(Exists(judged))
        if campaign is not None:
            others = others.exclude(pk=campaign.pk)
        self.fields["person"].queryset = people_to_add(user)  # type: ignore[attr-defined]  # a ModelMultipleChoiceField
        same_as = self.fields["same_as"]
        same_as.queryset = others  # type: ignore[attr-defined]  # a ModelChoiceField
        latest = [(each.pk, each.name) for each in others[:MAX_CAMPAIGNS]]
        same_as.widget.choices = [("", "None"), *latest]
        self.has_others = bool(latest)

    def choice(self) -> dict[str, Any]:
        """Return the people to list: the chosen ones, then search results."""
        keys = [key for key in map(key_of, map(str, self["person"].value() or ())) if key]
        searched = normalize_username(str(self["q"].value() or ""))
        people = people_to_add(self.user)
        ticked = list(people.filter(pk__in=keys)) if keys else []
        matches = people.exclude(pk__in=keys)
        if self.campaign is not None:
            matches = matches.exclude(pk__in=raters_of(self.campaign))
        if searched:
            matches = matches.filter(username_key__contains=username_key(searched))
        listed = list(matches[: MAX_PEOPLE + 1])
        return {
            "ticked": ticked,
            "found": listed[:MAX_PEOPLE],
            "has_more": len(listed) > MAX_PEOPLE,
            "searched": searched,
        }

    def chosen_people(self) -> list[User]:
        data = self.cleaned_data
        same = raters_of(data["same_as"]) if data.get("same_as") else ()
        return list({person.pk: person for person in (*data.get("person", ()), *same)}.values())


class MemberForm(PeopleChoice):
    role = RoleField()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if not self.errors and not self.chosen_people():
            self.add_error("person", "Tick at least one person, or choose a campaign.")
        return data


class ListForm(forms.Form):
    names = forms.CharField(
        label="Names or numbers, one per line",
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="So that you know each link again.",
    )
    days = DaysField()
    role = RoleField()

    def clean_names(self) -> list[str]:
        names = [line.strip() for line in self.cleaned_data["names"].splitlines() if line.strip()]
        if len(names) > NAMES_LIMIT:
            raise forms.ValidationError(f"More than {NAMES_LIMIT:,} names: split the list.")
        for name in names:
            check_name(name)
            if len(name) > NOTE_LENGTH:
                raise forms.ValidationError(
                    f"“{name[:50]}…” is longer than {NOTE_LENGTH} characters."
                )
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise forms.ValidationError(f"“{twice[0]}” is in the list more than once.")
        return names


class ConsentTextForm(forms.Form):
    text = forms.CharField(
        label="What raters are asked to agree to",
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 18}),
        help_text="Markdown: headings, lists, bold, italics. No links and no pictures: what is "
        "loaded from elsewhere would tell its owner who judges here.",
    )
    withdrawal = forms.ChoiceField(
        label="After a withdrawal of consent",
        choices=[
            (ConsentText.Withdrawal.DELETE, "delete everything that they judged"),
            (ConsentText.Withdrawal.KEEP, "keep what they submitted, under a pseudonym"),
        ],
        widget=forms.RadioSelect,
        help_text="Raters read it on the page; it applies to everybody who agrees to this version.",
    )

    def __init__(self, *args: Any, draft: str, **values: Any) -> None:
        super().__init__(*args, **values)
        self.draft = draft

    def clean_text(self) -> str:
        """Refuse the unchanged template."""
        text: str = self.cleaned_data["text"]
        if "preview" not in self.data and text.split() == self.draft.split():
            raise forms.ValidationError("Replace the text in italics before publishing.")
        return text


def consent_draft(campaign: Campaign) -> str:
    does = load_questionnaire(campaign.questionnaire).does
    return DRAFT.read_text(encoding="utf-8").replace("{does}", does)


PARAMETERS = ("participant_parameter", "study_parameter", "session_parameter")
CODES = ("completion_code", "returned_code", "screened_out_code")
CODE_SIGN = "{code}"


class CrowdForm(forms.ModelForm):
    class Meta:
        model = Crowd
        labels = {
            "is_open": "Let new participants in",
            "quota": "Items per participant",
            "completion_code": "Code for “completed”",
            "returned_code": "Code for “stopped” or “did not consent”",
            "screened_out_code": "Code for “screened out”",
            "back_url": "Address to go back to",
            "participant_parameter": "Parameter: participant",
            "study_parameter": "Parameter: study",
            "session_parameter": "Parameter: session",
        }
        fields = [*labels]
        help_texts = {
            "is_open": "Participants who have begun can always continue.",
            "quota": "Participants who submit this many items get the code.",
            "completion_code": "Empty: each participant gets a different code.",
            "returned_code": "Shown to participants who stop early. Empty: no code.",
            "screened_out_code": "Shown to participants who fail the training. Empty: no code.",
            "back_url": "With https; {code} is replaced by the code, as in "
            "https://app.prolific.com/submissions/complete?cc={code}",
            "participant_parameter": "Its name in the platform’s address.",
            "study_parameter": "Empty if there is none.",
            "session_parameter": "Empty if there is none.",
        }

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["quota"].widget.attrs["min"] = 1
        self.fields["quota"].validators += [
            MinValueValidator(1, "Write 1 or more."),
            MaxValueValidator(1_000_000, "Write 1,000,000 or less."),
        ]
        for name in PARAMETERS:
            self.fields[name].validators.append(
                RegexValidator(
                    r"\A[A-Za-z][A-Za-z0-9_.\-]*\Z",
                    "Write a name of letters, digits, _ . and -, beginning with a letter.",
                )
            )
        for name in CODES:
            self.fields[name].validators.append(
                RegexValidator(r"\A[A-Za-z0-9_\-]*\Z", "Write a code of letters, digits, _ and -.")
            )

    def clean_back_url(self) -> str:
        text: str = self.cleaned_data["back_url"]
        if text and not is_safe_address(text):
            raise forms.ValidationError(
                "Write a whole address that begins with https://, "
                "with {code} at most in its path or its parameters."
            )
        return text

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        given = [data[name] for name in PARAMETERS if data.get(name)]
        if len(set(given)) < len(given):
            self.add_error("session_parameter", "Two parameters have the same name: change one.")
        return data


def is_safe_address(text: str) -> bool:
    """Tell whether `text` is an https address with a fixed host.

    >>> is_safe_address("https://platform.example/done?cc={code}")
    True
    >>> is_safe_address("https://{code}.example/"), is_safe_address("javascript:alert(1)")
    (False, False)
    """
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    return (
        parts.scheme == "https"
        and "." in host
        and parts.username is None
        and CODE_SIGN not in parts.netloc
        and text.isprintable()
        and not any(sign in text for sign in " \\\"'<>")
    )


def back_address(participant: Participant) -> str:
    """Return the platform's page for the participant; empty if there is none.

    An address with `{code}` needs a code.
    """
    address = participant.crowd.back_url
    if not is_safe_address(address) or (CODE_SIGN in address and not participant.code):
        return ""
    return address.replace(CODE_SIGN, quote(participant.code, safe=""))
