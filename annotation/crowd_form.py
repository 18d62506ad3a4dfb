"""The form of a campaign's entry for a crowd platform, and the address to go back to."""

import re
from typing import Any
from urllib.parse import quote, urlsplit

from django import forms

from annotation.models import Crowd, Participant

PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]*")
CODE = re.compile(r"[A-Za-z0-9_\-]*")
CODE_SIGN = "{code}"


class CrowdForm(forms.ModelForm):
    """Terms, codes, names of the parameters."""

    class Meta:
        model = Crowd
        fields = [
            "is_open", "quota", "places", "minutes", "completion_code", "returned_code",
            "screened_out_code", "back_url", "participant_parameter", "study_parameter",
            "session_parameter",
        ]  # fmt: skip
        labels = {
            "is_open": "Let new participants in",
            "quota": "Items a participant",
            "places": "Participants at most",
            "minutes": "Minutes without a sign",
            "completion_code": "Code for “completed”",
            "returned_code": "Code for “stopped” or “did not consent”",
            "screened_out_code": "Code for “screened out”",
            "back_url": "Address to go back to",
            "participant_parameter": "Parameter: participant",
            "study_parameter": "Parameter: study",
            "session_parameter": "Parameter: session",
        }
        help_texts = {
            "is_open": "Those who have begun can always go on.",
            "quota": "Who has handed in so many is done and gets the code.",
            "places": "Leave it empty where the platform itself counts its places.",
            "minutes": "Who was not seen for so long gives their place back. They can go on later "
            "if one is left.",
            "completion_code": "Leave it empty to give each participant a code of their own.",
            "returned_code": "Shown to who stops early. Leave it empty to show none.",
            "screened_out_code": "Shown to who fails the training. Leave it empty to show none.",
            "back_url": "With https. {code} in it stands for the code, as in "
            "https://app.prolific.com/submissions/complete?cc={code}",
            "participant_parameter": "As the platform calls it in the address.",
            "study_parameter": "Leave it empty if there is none.",
            "session_parameter": "Leave it empty if there is none.",
        }

    def __init__(self, *args: Any, **values: Any) -> None:
        super().__init__(*args, **values)
        self.fields["places"].required = False
        for name in ("quota", "places", "minutes"):
            field = self.fields[name]
            field.validators += [_at_least_one, _at_most_a_million]
            field.widget.attrs["min"] = 1

    def clean_participant_parameter(self) -> str:
        return self._parameter("participant_parameter")

    def clean_study_parameter(self) -> str:
        return self._parameter("study_parameter")

    def clean_session_parameter(self) -> str:
        return self._parameter("session_parameter")

    def clean_completion_code(self) -> str:
        return self._code("completion_code")

    def clean_returned_code(self) -> str:
        return self._code("returned_code")

    def clean_screened_out_code(self) -> str:
        return self._code("screened_out_code")

    def clean_back_url(self) -> str:
        """An https address with a host; `{code}` only where it cannot change the host."""
        text: str = self.cleaned_data["back_url"].strip()
        if text and not is_safe_address(text):
            raise forms.ValidationError(
                "Write a whole address that begins with https://, "
                "with {code} at most in its path or its parameters."
            )
        return text

    def clean(self) -> dict[str, Any]:
        """Three parameters have three names."""
        data = super().clean() or self.cleaned_data
        names = ["participant_parameter", "study_parameter", "session_parameter"]
        given = [data[name] for name in names if data.get(name)]
        if len(set(given)) < len(given):
            self.add_error("session_parameter", "Two parameters have one name: change one of them.")
        return data

    def _parameter(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        if text and not PARAMETER.fullmatch(text):
            raise forms.ValidationError(
                "Write a name of letters, digits, _ . and -, beginning with a letter."
            )
        return text

    def _code(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        if not CODE.fullmatch(text):
            raise forms.ValidationError("Write a code of letters, digits, _ and -.")
        return text


def is_safe_address(text: str) -> bool:
    """Whether `text` is an https address whose host stands fixed.

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
    """The platform's page that the participant goes back to; empty where there is none.

    It comes from the campaign's own settings alone. Without a code, one that needs it is none.
    """
    address = participant.crowd.back_url
    if not is_safe_address(address) or (CODE_SIGN in address and not participant.code):
        return ""
    return address.replace(CODE_SIGN, quote(participant.code, safe=""))


def _at_least_one(value: int) -> None:
    if value < 1:
        raise forms.ValidationError("Write 1 or more.")


def _at_most_a_million(value: int) -> None:
    if value > 1_000_000:
        raise forms.ValidationError("Write 1,000,000 or less.")
