"""The site's language: what the setting takes, whose words win, what is said of a missing one."""

import json
import shutil
from gettext import NullTranslations
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.translation import gettext, override, trans_real
from pytest_django import Settings

from annotation.campaigns.lifecycle import close_campaign
from annotation.exporting import FORMATS
from annotation.models import Campaign
from rarrweb import languages
from rarrweb.accounts.models import User
from rarrweb.env import env_language
from tests.rarrweb.test_settings import run
from tests.support.campaigns import make_campaign
from tests.support.reference_answers import claim, judge_next
from tests.support.translations import write_catalog


@pytest.mark.parametrize(
    ("text", "code"), [("de", "de"), ("pt-BR", "pt-br"), ("zh_Hans", "zh-hans"), ("", "en")]
)
def test_a_code_has_several_spellings(
    monkeypatch: pytest.MonkeyPatch, text: str, code: str
) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    assert env_language("RARR_TRIED", "en") == code


@pytest.mark.parametrize("text", ["German", "d", "de/../x", "x y", "de-"])
def test_what_is_no_code_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("RARR_TRIED", text)
    with pytest.raises(ImproperlyConfigured, match=r"^RARR_TRIED=.*like de or pt-br\.$"):
        env_language("RARR_TRIED", "en")


def test_a_language_that_nobody_translated_into_ends_a_command_with_one_sentence(
    tmp_path: Path,
) -> None:
    done = run("manage.py", "check", var=tmp_path, RARR_LANGUAGE="gsw")
    assert done.returncode == 2
    assert done.stderr.startswith("RARR_LANGUAGE='gsw'")
    assert done.stderr.count("\n") == 1


def test_a_language_without_a_translation_of_ours_is_worth_a_warning(tmp_path: Path) -> None:
    done = run("manage.py", "check", var=tmp_path, RARR_LANGUAGE="ar")
    assert done.returncode == 0
    assert "RARR_LANGUAGE=ar: there is no translation" in done.stderr


def test_a_lab_adds_a_language_without_touching_the_code(tmp_path: Path) -> None:
    write_catalog(tmp_path / "locale", "gsw", {"Log in": "Aamälde"}, domain="django")
    done = run("manage.py", "check", var=tmp_path, RARR_LANGUAGE="gsw")
    assert (done.returncode, done.stderr) == (0, "")
    code = (
        "import django; django.setup(); from django.utils.translation import gettext; "
        "print(gettext('Log in'))"
    )
    done = run(
        "-c",
        code,
        var=tmp_path,
        RARR_LANGUAGE="gsw",
        DJANGO_SETTINGS_MODULE="rarrweb.settings",
        PYTHONIOENCODING="utf-8",
    )
    assert done.stdout == "Aamälde\n", done.stderr


def test_a_kind_of_a_language_falls_back_on_the_language(tmp_path: Path) -> None:
    write_catalog(tmp_path, "de", {"Log in": "Anmelden"}, domain="django")
    assert languages.has_texts("de-at", [tmp_path])
    assert not languages.has_texts("fr", [tmp_path])


def test_a_labs_own_words_come_before_shipped_ones(settings: Settings, tmp_path: Path) -> None:
    write_catalog(tmp_path / "own", "nn", {"Keys": "Eigne"}, domain="django")
    write_catalog(tmp_path / "shipped", "nn", {"Keys": "x", "Home": "Heim"}, domain="django")
    settings.LOCALE_PATHS = [tmp_path / "own", tmp_path / "shipped"]
    with override("nn"):
        assert (gettext("Keys"), gettext("Home")) == ("Eigne", "Heim")


def test_a_labs_catalogue_changes_a_raters_page(
    client: Client, annotator: User, settings: Settings, tmp_path: Path
) -> None:
    words = {"Submit and next ›": "Enmeti", "fully attributable": "tute atribuebla"}
    write_catalog(tmp_path, "eo", words, domain="django")
    settings.LOCALE_PATHS = [tmp_path]
    settings.LANGUAGE_CODE = "eo"
    task = claim(annotator, make_campaign(raters=(annotator,)))
    client.force_login(annotator)
    page = client.get(task.get_absolute_url()).content.decode()
    assert "Enmeti" in page
    assert "tute atribuebla" in page
    assert "Submit and next" not in page


class Marked(NullTranslations):
    """A language that says each text between marks."""

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def to_language(self) -> str:
        return "xx"


@pytest.fixture
def judged(annotator: User, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    """A campaign with an item that is judged; `override("xx")` marks every text."""
    monkeypatch.setitem(trans_real._translations, "xx", Marked())
    campaign = make_campaign(passages=2, raters=(annotator,))
    judge_next(annotator, campaign, (1, 0, 1))
    return campaign


@pytest.mark.parametrize("name", FORMATS)
def test_no_export_changes_with_the_language(judged: Campaign, tmp_path: Path, name: str) -> None:
    made: list[object] = []
    for language in ("en", "xx"):
        (tmp_path / language).mkdir()
        out = tmp_path / language / name  # the manifest tells the file's name
        with override(language):
            try:
                call_command("export", campaign=judged.slug, format=name, out=out)
            except CommandError as error:  # this campaign does not suit the format
                made.append(str(error))
                continue
        manifest = json.loads(Path(f"{out}.manifest.json").read_text())
        del manifest["exported_at"]
        made.append((out.read_bytes(), manifest))
    assert made[0] == made[1]
    assert "⟦" not in str(made)


def test_the_api_keeps_its_names_and_tells_a_refusal_in_words(
    client: Client, judged: Campaign, annotator: User, settings: Settings
) -> None:
    task = claim(annotator, judged)
    client.force_login(annotator)
    settings.LANGUAGE_CODE = "xx"
    path = f"/api/tasks/{task.pk}/judgments/"
    answer = {"criterion": "attributable", "target": 0, "value": 1, "sequence": 1}
    saved = client.put(path, answer, content_type="application/json").json()
    assert saved["judgments"][0]["criterion"] == "attributable"
    assert "⟦" not in json.dumps(saved, ensure_ascii=False)
    close_campaign(judged)
    refused = client.put(path, answer, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]) == (409, "CampaignClosed")
    assert refused.json()["message"].startswith("⟦")


@pytest.mark.parametrize(("code", "direction"), [("en", "ltr"), ("ar", "rtl"), ("he", "rtl")])
def test_the_page_says_its_language_and_which_way_it_is_written(
    client: Client, db: None, settings: Settings, code: str, direction: str
) -> None:
    settings.LANGUAGE_CODE = code
    assert f'<html lang="{code}" dir="{direction}">' in client.get("/log-in/").content.decode()


def test_without_gettext_collecting_says_what_to_install(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOCALE_PATHS = [tmp_path / "locale"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="GNU gettext"):
        call_command("makemessages", locale=["de"], verbosity=0)
    assert list(tmp_path.rglob("*.po")) == []


# Only a lab that adds a language needs the tool, so `make test` does without it, and says so at the
# end; `.ci/run` installs it and takes no skip.
@pytest.mark.skipif(
    shutil.which("xgettext") is None,
    reason="GNU GETTEXT IS MISSING: collecting texts was not tested. Install the package gettext.",
)
def test_all_texts_of_a_language_are_collected_in_one_file(
    settings: Settings, tmp_path: Path
) -> None:
    settings.LOCALE_PATHS = [tmp_path / "locale", settings.BASE_DIR / "rarrweb" / "locale"]
    call_command("makemessages", locale=["de"], verbosity=0)
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.po")]
    assert files == [Path("locale/de/LC_MESSAGES/django.po")]
    text = (tmp_path / files[0]).read_text()
    for told in ("Log in", "fully attributable", "Submit and next ›", "This campaign is closed"):
        assert told in text
    assert "tests/" not in text
    call_command("makemessages", locale=["de"], domain="djangojs", verbosity=0)
    assert not (settings.BASE_DIR / "rarrweb/locale/de").exists()
