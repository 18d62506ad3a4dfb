"""The site's language: what the setting takes, whose words win, what is said of a missing one."""

import shutil
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.translation import gettext, override
from pytest_django import Settings

from rarrweb import languages
from rarrweb.env import env_language
from tests.rarrweb.test_settings import run
from tests.translations import write_catalog


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
    assert languages.catalogues("de-at", [tmp_path]) == [
        tmp_path / "de" / "LC_MESSAGES" / "django.mo"
    ]
    assert languages.catalogues("fr", [tmp_path]) == []


def test_a_labs_own_words_come_before_shipped_ones(settings: Settings, tmp_path: Path) -> None:
    write_catalog(tmp_path / "own", "nn", {"Keys": "Eigne"}, domain="django")
    write_catalog(tmp_path / "shipped", "nn", {"Keys": "x", "Home": "Heim"}, domain="django")
    settings.LOCALE_PATHS = [tmp_path / "own", tmp_path / "shipped"]
    with override("nn"):
        assert (gettext("Keys"), gettext("Home")) == ("Eigne", "Heim")


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
