"""Names with invisible characters only, or with forbidden ones, are refused."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.forms import Form, ValidationError

from annotation.api.campaigns import NewCampaignSerializer
from annotation.campaigns.forms import DraftForm, NewCampaignForm
from annotation.raters.forms import InviteForm, ListForm
from pipeline.api.collections import NewSerializer
from pipeline.forms.trials import KeepForm
from pipeline.forms.uploads import NewCorpusForm, NewDatasetForm
from pipeline.runs.imported import is_system_name
from rarrweb.accounts.forms import SignUpForm, TokenForm

BAD = ["\u200b", "\u3164", "\u0301", "Ri\u202evers", "Ri\u2066vers", "Ri\x1bvers", "Ri\x07vers"]

bad_names = pytest.mark.parametrize("name", BAD, ids=ascii)


@bad_names
@pytest.mark.parametrize(
    ("form", "field"),
    [
        (NewDatasetForm, "name"),
        (NewCorpusForm, "name"),
        (KeepForm, "name"),
        (NewCampaignForm, "name"),
        (DraftForm, "name"),
        (InviteForm, "note"),
        (TokenForm, "name"),
    ],
)
def test_forms_refuse_it(form: type[Form], field: str, name: str) -> None:
    with pytest.raises(ValidationError, match="The name "):
        form.base_fields[field].clean(name)


@bad_names
@pytest.mark.parametrize("serializer", [NewSerializer, NewCampaignSerializer])
def test_the_api_refuses_it(serializer: Any, name: str) -> None:
    given = serializer(data={"name": name})
    assert not given.is_valid()
    assert "The name " in given.errors["name"][0]


@pytest.mark.django_db
@bad_names
def test_names_of_people_are_checked(name: str) -> None:
    word = {"password1": "Wharfe-river-9", "password2": "Wharfe-river-9"}
    assert "username" in SignUpForm({"username": name, **word}).errors
    assert "names" in ListForm({"names": f"Anna\n{name}", "days": 7}).errors
    with pytest.raises(CommandError, match=r".*name.*"):
        call_command("createsuperuser", "--noinput", username=name, stderr=StringIO())


@pytest.mark.django_db
@bad_names
def test_commands_refuse_it(tmp_path: Path, name: str) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text('{"id": "1", "text": "One."}\n')
    for command, option in (
        ("load_passages", "--dataset"),
        ("load_corpus", "--name"),
        ("generate", "--dataset"),
    ):
        with pytest.raises(CommandError, match="The name "):
            call_command(command, str(file), option, name)
    assert not is_system_name(name)


@pytest.mark.parametrize("name", ["Rivers", "河 · 山田　太郎", "می\u200cخواهم", "👩\u200d🔬", "…"])
def test_names_of_any_script_are_taken(name: str) -> None:
    assert NewDatasetForm.base_fields["name"].clean(name) == name
