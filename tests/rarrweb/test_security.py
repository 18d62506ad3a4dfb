"""What holds for the whole site: who gets in, what a page may load, what a form must bring."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.resolvers import LocalePrefixPattern, RegexPattern, RoutePattern

from pipeline.models import Document, Revision, Upload
from pipeline.urls import urlpatterns as pipeline_urls
from rarrweb.accounts.inviting import make_link
from rarrweb.accounts.models import Invitation, User
from tests.factories import make_corpus, make_dataset, make_revision, make_run

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("rarrweb", "pipeline", "annotation")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PYTHON = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))

# --- Nobody is in by default ----------------------------------------------------------------

OPEN = {
    "accounts:log-in",
    "accounts:accept-invitation",
    "accounts:new-password",
    "annotation:join",
    "healthz",
}
"""The whole list of what answers without a log-in."""

SAMPLES = {"int": "1", "slug": "some-slug", "str": "some-text", "path": "a/b", "uuid": "0" * 32}


def all_patterns(
    resolver: URLResolver, prefix: str = "", namespace: str = ""
) -> Iterator[tuple[str, str]]:
    """Name and a sample address of every pattern of the site."""
    for entry in resolver.url_patterns:
        here = prefix + sample_of(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from all_patterns(entry, here, inner)
        elif isinstance(entry, URLPattern):
            yield f"{namespace}{entry.name or here}", here


def sample_of(pattern: RoutePattern | RegexPattern | LocalePrefixPattern) -> str:
    """An address that fits the pattern."""
    if isinstance(pattern, RoutePattern):
        return re.sub(r"<(?:(\w+):)?\w+>", lambda found: SAMPLES[found[1] or "str"], str(pattern))
    text = str(pattern).removeprefix("^").removesuffix("$").removesuffix("\\Z")
    text = re.sub(r"\(\?P<\w+>[^()]*\)", "some-text", text)
    return re.sub(r"\([^()|]*\|?[^()]*\)", "some-text", text)


ADDRESSES = sorted(set(all_patterns(get_resolver())))


def test_the_walk_finds_every_room() -> None:
    names = {name for name, _ in ADDRESSES}
    assert {"home", "healthz", "accounts:people", "annotation:campaigns", "admin:index"} <= names
    assert {"pipeline:datasets", "pipeline:runs", "annotation:join"} <= names
    assert names >= OPEN


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(
    ("name", "address"), [pytest.param(*pair, id=pair[0]) for pair in ADDRESSES]
)
def test_without_a_log_in_nothing_else_answers(
    client: Client, db: None, name: str, address: str, method: str
) -> None:
    response = getattr(client, method)(f"/{address}")
    to_log_in = response.status_code == 302 and response["Location"].startswith(
        ("/log-in/?next=", "/admin/login/?next=")
    )
    # A program that calls the API gets a status, not a page.
    refused = address.startswith("api/") and response.status_code in {401, 403}
    if name in OPEN:
        assert not to_log_in
    else:
        assert to_log_in or refused, (response.status_code, response.headers.get("Location"))


@pytest.mark.parametrize("path", ["/admin/", "/admin/accounts/user/", "/admin/login/"])
def test_the_admin_sends_a_stranger_to_the_one_log_in(client: Client, db: None, path: str) -> None:
    response = client.get(path, follow=True)
    assert response.redirect_chain[-1][0].startswith("/log-in/?next=")


def test_healthz_tells_nothing_but_health(client: Client, db: None) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.fixture
def lab(db: None) -> dict[str, object]:
    """One of everything that the lab owns: the value of every argument of its addresses."""
    dataset, corpus = make_dataset(slug="lab"), make_corpus(slug="lab")
    run = make_run(dataset=dataset, corpus=corpus)
    revision = make_revision(run, state=Revision.State.DONE)
    document = Document.objects.create(corpus=corpus, external_id="d", text="-", content_hash="-")
    return {
        "slug": "lab",
        "run_id": run.pk,
        "revision_id": revision.pk,
        "passage_id": revision.passage_id,
        "document_id": document.pk,
        "upload_id": Upload.objects.create(
            kind=Upload.Kind.PASSAGES, dataset=dataset, file_name="p.jsonl", stored_name="p"
        ).pk,
    }


EVERYBODYS = {"model"}
"""Pages that show nothing of the lab's: whoever is logged in may read a model card."""
ARGUMENTS = {
    str(entry.name): list(entry.pattern.converters)
    for entry in pipeline_urls
    if entry.name not in EVERYBODYS
}


def address_of(name: str, lab: dict[str, object]) -> str:
    return reverse(f"pipeline:{name}", kwargs={key: lab[key] for key in ARGUMENTS[name]})


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_the_labs_pages_are_not_there_for_members(
    client: Client, stranger: User, lab: dict[str, object], name: str
) -> None:
    address = address_of(name, lab)
    client.force_login(stranger)
    answers = {client.get(address).status_code, client.post(address).status_code}
    assert answers <= {404, 405}
    assert 404 in answers


SHOWN = [
    "datasets", "dataset", "new-dataset", "passage", "corpora", "corpus", "document", "upload",
    "runs", "run", "run-status", "run-revisions",
]  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_and_are_there_for_researchers(
    as_researcher: Client, lab: dict[str, object], name: str
) -> None:
    assert as_researcher.get(address_of(name, lab)).status_code == 200


# --- What a page may load --------------------------------------------------------------------

PAGES = ["/", "/account/", "/people/", "/people/invite/", "/datasets/", "/corpora/", "/runs/",
         "/runs/new/", "/campaigns/", "/datasets/new/", "/corpora/new/"]  # fmt: skip


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
def test_every_page_says_what_it_may_load(client: Client, administrator: User, page: str) -> None:
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


EVENT_HANDLER = re.compile(r"<[^>]*\s(on[a-z]+|hx-on[:\w-]*|style)\s*=", re.IGNORECASE)
INLINE_CODE = re.compile(r"<style\b|<script\b(?![^>]*\bsrc=)|javascript:", re.IGNORECASE)
DATA_BLOCK = re.compile(r'<script\b[^>]*type="application/json"[^>]*>', re.IGNORECASE)
REMOTE = re.compile(
    r"<(?:script|link|img|iframe|audio|video|source|object|embed)\b[^>]*"
    r"(?:src|href|data)=[\"']?(?:https?:)?//",
    re.IGNORECASE,
)


def assert_nothing_inline(html: str) -> None:
    # What json_script writes is data: a browser never runs it.
    html = DATA_BLOCK.sub("", html)
    for pattern in (EVENT_HANDLER, INLINE_CODE, REMOTE):
        assert not pattern.search(html), pattern.search(html)


@pytest.mark.parametrize(
    "bad",
    [
        '<b onclick="x()">',
        "<img src=x onerror=alert(1)>",
        '<p style="color:red">',
        "<style>p{}</style>",
        "<script>x()</script>",
        '<script type="module">x()</script>',
        '<a href="javascript:x()">',
        '<div hx-on:click="x()">',
        '<link rel="stylesheet" href="https://cdn.example/x.css">',
        '<img src="//tracker.example/pixel.gif">',
    ],
)
def test_the_search_for_inline_code_finds_it(bad: str) -> None:
    with pytest.raises(AssertionError):
        assert_nothing_inline(bad)


@pytest.mark.parametrize(
    "good",
    [
        '<script src="/static/js/copy.js" type="module"></script>',
        '<script id="facts" type="application/json">{"a": 1}</script>',
        '<a href="https://example.org/">source</a>',
        "<p>The onset of style = grace.</p>",
    ],
)
def test_and_leaves_the_rest_alone(good: str) -> None:
    assert_nothing_inline(good)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_no_template_has_inline_code_or_switches_escaping_off(path: Path) -> None:
    source = path.read_text()
    # A tag of Django's may stand inside an attribute's quotes; its > must not end the element.
    assert_nothing_inline(re.sub(r"{%.*?%}|{{.*?}}", "x", source, flags=re.DOTALL))
    assert not re.search(r"\|\s*(safe|safeseq)\b|autoescape\s+off|{%\s*debug", source)


UNSAFE_CALLS = {"mark_safe", "SafeString", "SafeText", "format_html_join", "csrf_exempt"}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "yaml"}


def unsafe_in(source: str) -> set[str]:
    """Names in a source that switch a protection off or run what they read."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            found |= {name} & UNSAFE_CALLS
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if isinstance(node, ast.ImportFrom):
                found |= names & UNSAFE_CALLS
                names = {node.module or ""}
            found |= {name.partition(".")[0] for name in names} & UNSAFE_MODULES
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in {"eval", "exec", "os.system", "os.popen"}:
                found.add(called)
            if any(
                word.arg == "shell" and ast.unparse(word.value) == "True" for word in node.keywords
            ):
                found.add("shell=True")
    return found


@pytest.mark.parametrize("path", PYTHON, ids=name_of)
def test_no_module_switches_a_protection_off(path: Path) -> None:
    assert unsafe_in(path.read_text()) == set()


def test_the_search_for_unsafe_calls_finds_them() -> None:
    source = (
        "from django.utils.safestring import mark_safe\nimport pickle\n"
        "@csrf_exempt\ndef f(): eval('1')\nsubprocess.run('x', shell=True)"
    )
    assert unsafe_in(source) == {"mark_safe", "pickle", "csrf_exempt", "eval", "shell=True"}


@pytest.mark.parametrize("path", SCRIPTS, ids=name_of)
def test_no_script_writes_markup_or_runs_text(path: Path) -> None:
    source = path.read_text()
    unsafe = r"\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\("
    assert not re.search(unsafe, source)


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_every_static_file_that_a_template_names_is_there(path: Path) -> None:
    names = re.findall(r"{%\s*static\s+[\"']([^\"']+)[\"']\s*%}", path.read_text())
    assert [name for name in names if finders.find(name) is None] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_a_link_to_elsewhere_opens_apart_and_tells_nothing(path: Path) -> None:
    for link in re.findall(r"<a\b[^>]*target=[\"']?_blank[^>]*>", path.read_text()):
        assert "noopener" in link
        assert "noreferrer" in link


# --- What a form must bring --------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/log-in/", "/log-out/", "/account/", "/people/invite/", "/runs/new/"]
)
def test_a_form_without_its_token_is_refused(administrator: User, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(administrator)
    response = client.post(path, {"username": "ada"})
    assert response.status_code == 403
    page = response.content.decode()
    assert "Nothing was saved" in page
    assert_nothing_inline(page)


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_every_form_that_changes_something_carries_its_token(path: Path) -> None:
    forms = re.findall(r"<form\b.*?</form>", path.read_text(), re.DOTALL | re.IGNORECASE)
    for form in forms:
        opening = form[: form.index(">") + 1]
        if re.search(r"method=[\"']?post", opening, re.IGNORECASE):
            assert "{% csrf_token %}" in form, opening


def test_a_fragment_whose_session_has_ended_moves_the_whole_page(client: Client, db: None) -> None:
    response = client.get(
        "/runs/1/status/",
        headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/runs/1/?page=2"},
    )
    assert response.status_code == 200
    assert response.content == b""
    assert response["HX-Redirect"] == "/log-in/?next=%2Fruns%2F1%2F%3Fpage%3D2"


def test_a_page_whose_session_has_ended_is_redirected_as_usual(client: Client, db: None) -> None:
    assert client.get("/runs/1/")["Location"] == "/log-in/?next=/runs/1/"


def test_the_session_cookie_is_out_of_scripts_reach(client: Client, researcher: User) -> None:
    form = {"username": "ruth", "password": "a long test password"}
    cookie = client.post("/log-in/", form).cookies["rarrweb_session"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


# --- Errors --------------------------------------------------------------------------------------


def test_an_error_page_shows_no_source_and_needs_no_database(
    administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **values: object) -> None:
        raise RuntimeError("the secret in the traceback")

    monkeypatch.setattr("rarrweb.accounts.views.people.render", fail)
    client = Client(raise_request_exception=False)
    client.force_login(administrator)
    response = client.get("/people/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something broke" in page
    assert "secret" not in page
    assert_nothing_inline(page)


def test_a_page_that_is_not_there_says_so_to_strangers_and_people(
    client: Client, researcher: User
) -> None:
    anonymous = client.get("/nothing/")
    assert anonymous.status_code == 404
    assert "There is nothing here" in anonymous.content.decode()
    client.force_login(researcher)
    assert "Go home" in client.get("/nothing/").content.decode()


def test_hostile_names_are_shown_as_text(client: Client, administrator: User) -> None:
    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    make_link(Invitation, created_by=administrator, role="", note=hostile)
    client.force_login(administrator)
    page = client.get("/people/").content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
