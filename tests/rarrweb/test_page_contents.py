"""Resources of pages, by headers, templates and scripts."""

import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from rarrweb.accounts.models import User
from tests.support.inline_code import assert_nothing_inline
from tests.support.sources import PYTHON, ROOT, SCRIPTS, TEMPLATES, name_of

PAGES = ["/", "/account/", "/people/", "/people/invite/", "/campaigns/"]
PAGES += [f"/{name}/{page}" for name in ("datasets", "corpora", "runs") for page in ("", "new/")]


def directives(policy: str) -> dict[str, list[str]]:
    parts = [part.split() for part in policy.split(";") if part.strip()]
    return {name: values for name, *values in parts}


def check_headers(headers: dict[str, str]) -> None:
    policy = directives(headers["Content-Security-Policy"])
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'"]
    assert policy["style-src"] == ["'self'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy["base-uri"] == ["'none'"]
    assert policy["form-action"] == ["'self'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & {
        value for values in policy.values() for value in values
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] in {"same-origin", "strict-origin"}
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_shows_what_it_may_load(client: Client, administrator: User, page: str) -> None:
    client.force_login(administrator)
    response = client.get(page)
    assert response.status_code == 200
    check_headers(response.headers)
    assert_nothing_inline(response.content.decode())


@pytest.mark.parametrize("page", ["/log-in/", "/no-such-page/", "/invitations/unknown/"])
def test_so_does_every_page_for_strangers(client: Client, db: None, page: str) -> None:
    response = client.get(page)
    check_headers(response.headers)
    assert_nothing_inline(response.content.decode())


def test_the_files_that_tests_read_exist() -> None:
    assert len(TEMPLATES) > 150
    assert len(SCRIPTS) > 30
    assert len(PYTHON) > 500


def test_no_template_has_inline_code_or_switches_escaping_off() -> None:
    for path in TEMPLATES:
        source = path.read_text()
        # A tag of Django's may stand inside an attribute's quotes; its > must not end the element.
        plain = re.sub(r"{%.*?%}|{{.*?}}", "x", source, flags=re.DOTALL)
        assert_nothing_inline(plain, name_of(path))
        unescaped = r"\|\s*(safe|safeseq)\b|autoescape\s+off|{%\s*debug"
        assert not re.search(unescaped, source), name_of(path)


def test_every_static_file_that_a_template_names_is_there() -> None:
    for path in TEMPLATES:
        names = re.findall(r"{%\s*static\s+[\"']([^\"']+)[\"']\s*%}", path.read_text())
        assert [name for name in names if finders.find(name) is None] == [], name_of(path)


def test_the_dark_changes_colours_alone() -> None:
    styles = "".join(path.read_text() for path in (ROOT / "static" / "css").rglob("*.css"))
    assert re.findall(r"data-theme=dark\].*", styles) == ["data-theme=dark] { color-scheme: dark }"]
    for source in (styles, *(path.read_text() for path in SCRIPTS)):
        assert "prefers-color-scheme" not in source


def test_a_link_to_elsewhere_opens_apart_and_tells_nothing() -> None:
    for path in TEMPLATES:
        for link in re.findall(r"<a\b[^>]*target=[\"']?_blank[^>]*>", path.read_text()):
            assert "noopener" in link, name_of(path)
            assert "noreferrer" in link, name_of(path)


def test_no_script_writes_markup_or_runs_text() -> None:
    unsafe = r"\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\("
    assert [name_of(path) for path in SCRIPTS if re.search(unsafe, path.read_text())] == []


@pytest.mark.parametrize("address", ["/datasets/", "/static/css/app.css"])
def test_what_a_browser_loads_is_compressed(as_researcher: Client, address: str) -> None:
    plain = as_researcher.get(address).getvalue()
    packed = as_researcher.get(address, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.getvalue()) < len(plain) / 2


def test_static_files_are_for_pages_of_this_site(client: Client) -> None:
    answer = client.get("/static/favicon.svg")
    assert answer["Content-Type"] == "image/svg+xml; charset=utf-8"
    assert "Access-Control-Allow-Origin" not in answer
    files = [path for path in (ROOT / "static").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".css", ".js", ".svg", ".txt", ".woff2"}
