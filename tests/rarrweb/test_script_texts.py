"""The catalog of texts for the scripts: who gets it, how long it is kept, what is in it."""

import json
import re
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from django.views.i18n import JavaScriptCatalog
from pytest_django import Settings

from rarrweb.accounts.models import User
from tests.support.campaigns import make_campaign
from tests.support.crowds import come, make_crowd
from tests.support.translations import write_catalog

TAG = re.compile(r'<script defer src="(/texts/scripts\.js)"></script>')
MODULE = '<script type="module"'
POLISH = (
    "nplurals=4; plural=(n==1 ? 0 : (n%10>=2 && n%10<=4) && (n%100<12 || n%100>14) ? 1 : "
    "n!=1 && (n%10>=0 && n%10<=1) || (n%10>=5 && n%10<=9) || (n%100>=12 && n%100<=14) ? 2 : 3);"
)


@pytest.fixture
def as_anna(client: Client, annotator: User) -> Client:
    client.force_login(annotator)
    return client


def catalog_of(answer: HttpResponse) -> dict[str, object]:
    found = re.search(r"const newcatalog = (\{.*?\n  \});", answer.content.decode(), re.DOTALL)
    return dict(json.loads(found[1])) if found else {}


def named_on(client: Client, path: str = "/") -> str:
    page = client.get(path, follow=True).content.decode()
    found = TAG.search(page)
    assert found, page[:2000]
    assert found.start() < page.index(MODULE), "the modules need it"
    return found[1]


def test_a_page_names_it_and_a_browser_keeps_it(as_anna: Client) -> None:
    answer = as_anna.get(named_on(as_anna))
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == 'text/javascript; charset="utf-8"'
    assert answer.headers["Cache-Control"] == "private, max-age=600"
    assert "django.gettext = function" in answer.content.decode()


def test_it_takes_no_post(as_anna: Client) -> None:
    assert as_anna.post(named_on(as_anna)).status_code == 405


def test_a_stranger_is_sent_to_the_log_in(client: Client, db: None) -> None:
    assert not TAG.search(client.get("/log-in/").content.decode())
    answer = client.get("/texts/scripts.js")
    assert answer.headers["Location"].startswith("/log-in/?next=/texts/")


def test_a_participant_gets_it(db: None) -> None:
    browser = come(make_crowd(make_campaign()))
    assert browser.get(named_on(browser, "/study/")).status_code == 200


def test_it_has_the_languages_texts_and_its_plurals(
    as_anna: Client, settings: Settings, tmp_path: Path
) -> None:
    one_many = ("%(count)s answer", "%(count)s answers")
    forms = ("%(count)s odpowiedź", "%(count)s odpowiedzi", "…3", "…4")
    messages = {"Keys": "Klawisze", one_many: forms}
    write_catalog(tmp_path, "pl", messages, plural_forms=POLISH)
    settings.LOCALE_PATHS = [tmp_path]
    assert catalog_of(as_anna.get("/texts/scripts.js")) == {}
    settings.LANGUAGE_CODE = "pl"
    answer = as_anna.get("/texts/scripts.js")
    assert catalog_of(answer) == {"Keys": "Klawisze", "%(count)s answer": list(forms)}
    assert "n%10>=2 && n%10<=4" in answer.content.decode()


def test_the_admins_texts_stay_out(as_anna: Client, settings: Settings) -> None:
    settings.LANGUAGE_CODE = "de"
    assert JavaScriptCatalog().get(None).content.decode().count("Entfernen")
    assert "Entfernen" not in as_anna.get("/texts/scripts.js").content.decode()
