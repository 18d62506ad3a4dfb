"""The form of a crowd entry, and the address to return to."""

from typing import Any
from urllib.parse import quote, urlsplit

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator

from annotation.models import Crowd, Participant

PARAMETERS = ("participant_parameter", "study_parameter", "session_parameter")
CODES = ("completion_code", "returned_code", "screened_out_code")
CODE_SIGN = "{code}"


class CrowdForm(forms.ModelForm):
    class Meta:
        model = Crowd
        labels = {
            "is_open": "Let new participants in",
            "quota": "Items a participant",
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
            "returned_code": "For participants who stop early. Empty: no code.",
            "screened_out_code": "For participants who fail the training. Empty: no code.",
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
