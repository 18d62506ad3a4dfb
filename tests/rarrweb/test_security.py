"""Permissions of every URL."""

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from annotation.models import Assignment, Campaign, RaterQuestion
from pipeline.models import Corpus, Dataset, Document, Passage, PassageNote, Revision, Upload
from tests.support.addresses import ADDRESSES, PATTERNS
from tests.support.permissions import PEOPLE, World

PROGRAMS = ("get", "post", "put", "patch", "delete")
LOG_IN = re.compile(r"/log-in/\?next=")
MARKUP = "<svg onload=alert(1)>"
MARKUP_AS_TEXT = "&lt;svg onload=alert(1)&gt;"

RESEARCHERS = {"owner", "researcher", "administrator"}
"""The lab is one: what one researcher owns, every other one sees."""
STUDY = ("participant", "participant elsewhere")
RATERS = {"rater", "colleague", "participant"}
MAY: dict[str, set[str]] = {name: RESEARCHERS for name, _ in ADDRESSES if "-api:" in name}
"""Who opens which address, where what it names is the owner's, the rater's, of their campaign.
A new page needs a line here. For everybody else it is not there."""


def let(roles: set[str], *names: str, of: str = "") -> None:
    MAY.update({f"{of}{name}": roles for name in names})


# Everybody.
let({"nobody", *PEOPLE, *STUDY}, "annotation:enter", "healthz", "readyz")
let(
    {"nobody", *PEOPLE},
    *("account_inactive", "account_login", "accounts:accept-invitation", "accounts:new-password"),
    *("annotation:join", "mfa_authenticate", "shared-revision", "socialaccount_login_cancelled"),
    "socialaccount_signup",
)
let({*PEOPLE, *STUDY}, "annotation:my-items", "annotation:next-task", "home")
let(
    {*PEOPLE},
    *("account_logout", "account_reauthenticate", "accounts:account", "accounts:log-out-elsewhere"),
    *("accounts:theme", "annotation:adjudications", "annotation:campaigns", "api:root", "help"),
    *("help-document", "help-screenshot", "mfa_activate_totp", "mfa_generate_recovery_codes"),
    *("mfa_index", "mfa_reauthenticate", "my-data", "pipeline:model", "search"),
    *("socialaccount_connections", "socialaccount_login_error"),
)
let({*STUDY}, "annotation:stop-study", "annotation:study")
let(
    RATERS | RESEARCHERS | {"adjudicator"},
    *("annotation:campaign", "annotation:guidelines", "annotation:guidelines-history"),
    *("annotation:guidelines-version", "annotation:questions"),
)
let(RATERS, "annotation:consent", "annotation:training", "annotation:try-again")
let({"rater", "colleague", "removed"}, "annotation:withdraw-consent")
# What one rater was given: not even a researcher opens it as theirs.
let(
    {"rater"},
    *("annotation:ask", "annotation:feedback", "annotation:save-judgments"),
    *("annotation:save-visit", "annotation:skip-task", "annotation:submit-task", "annotation:task"),
    *("annotation:task-questions", "annotation:undo-skip"),
)
let({"rater", *RESEARCHERS}, "annotation:question")
let({"adjudicator", *RESEARCHERS}, "annotation:accept-majority", "annotation:adjudicate")
let(
    {"owner"},
    *("accounts:revoke-token", "mfa_deactivate_totp", "mfa_download_recovery_codes"),
    *("mfa_view_recovery_codes", "pipeline:delete-note", "pipeline:edit-note"),
    *("pipeline:keep-trial", "pipeline:retry-trial", "pipeline:trial", "pipeline:trial-status"),
)
let(
    {"administrator"},
    *("accounts:change-role", "accounts:deactivate", "accounts:invite", "accounts:password-link"),
    *("accounts:people", "accounts:reactivate", "accounts:reset-second-factor"),
    *("accounts:revoke-invitation", "data-of"),
)
# Nobody: a token opens the metrics (tests/rarrweb/operations/test_metrics.py), no provider is set.
let(set(), "metrics", "openid_connect_callback", "openid_connect_login")
let(RESEARCHERS, "tokens", of="accounts:")
let(
    RESEARCHERS,
    *("add-members", "add-raters", "another-attempt", "answer-question", "campaign-preview"),
    *("campaign-settings", "chart", "charts", "check-settings", "checks", "close-campaign"),
    *("comments", "copy-campaign", "crowd", "delete-campaign", "differences", "discard-draft"),
    *("edit-consent", "edit-draft", "edit-guidelines", "export", "find-people", "forget-ids"),
    *("human-vs-automatic", "invitations", "invite-list", "invite-rater", "items", "joined-chart"),
    *(
        "judge-myself",
        "make-manual-runs",
        "move-on",
        "new-entry-address",
        "package",
        "participants",
        "preview",
    ),
    *("preview-guidelines", "raters", "readmit", "reference-answers", "release", "reliability"),
    *("reliability-summary", "remove-member", "renew-invitation", "reopen-campaign", "results"),
    *("resume-rater", "revoke-invitation", "send-back", "statistic", "statistics"),
    *("import-judgments", "undo-send-back", "use-item", "withdraw-item", "work"),
    of="annotation:",
)
let(RESEARCHERS, "docs", "schema", of="api:")
let(RESEARCHERS, "compare-passage", "compare-passages", "joined-results", "new-campaign")
let(
    RESEARCHERS,
    *("add-documents", "add-note", "add-passages", "cancel-run", "choose-columns", "compare"),
    *("compare-chart", "corpora", "corpus", "corpus-runs", "corpus-status", "dataset"),
    *("dataset-runs", "dataset-statistic", "dataset-statistics", "datasets", "delete-corpus"),
    *("delete-dataset", "delete-run", "discard-upload", "document", "download-dataset"),
    *("download-run", "import-upload", "index-corpus", "new-corpus", "new-dataset", "new-run"),
    *(
        "new-run-plan",
        "passage",
        "pause-run",
        "replace-file",
        "resume-run",
        "retry-run",
        "retry-upload",
    ),
    *("revision", "revision-json", "run", "run-configuration", "run-cost", "run-revisions"),
    *("run-status", "runs", "score-dataset", "score-run", "search-corpus", "share-revision"),
    *("tag-passage", "try", "try-example", "unshare-revision", "untag-passage", "upload"),
    *("upload-errors", "upload-status"),
    of="pipeline:",
)


def test_every_address_has_a_line_that_reports_who_may_open_it() -> None:
    assert MAY.keys() == {name for name, _ in ADDRESSES}


@pytest.fixture
def world(db: None) -> World:
    return World()


def test_each_role_opens_what_it_may_and_nothing_else(
    world: World, subtests: pytest.Subtests
) -> None:
    for role in ("nobody", *PEOPLE, *STUDY):
        with subtests.test(role=role):
            may = {name for name, roles in MAY.items() if role in roles}
            assert set(opened_by(role, world)) == may


def opened_by(role: str, world: World) -> Iterator[str]:
    """Return the URL names that a user can open; the owner tries all methods."""
    browser = world.browser_of(role)
    cookies = browser.cookies.output(header="")
    for name, route, _ in PATTERNS:
        address = world.address_of(name, route)
        methods = PROGRAMS if address.startswith("/api/") else ("get", "post")
        answers = (is_open(browser, method, address) for method in methods)
        if any([*answers] if role == "owner" else answers):
            yield name
        browser.cookies = SimpleCookie(cookies)


def test_nothing_that_somebody_wrote_or_sent_is_markup_anywhere(world: World) -> None:
    for model in (Dataset, Corpus, Campaign):
        model._default_manager.update(name=MARKUP)
    for model in (Document, PassageNote, RaterQuestion):
        model._default_manager.update(text=MARKUP)
    Document.objects.update(title=MARKUP)
    Upload.objects.update(file_name=MARKUP)
    Assignment.objects.update(comment=MARKUP)
    Revision.objects.update(original_text=MARKUP)
    Passage.objects.update(context=MARKUP)
    browser = world.browser_of("owner")
    displayed, unescaped = 0, []
    for name, route, _ in PATTERNS:
        response = browser.get(world.address_of(name, route))
        body = response.getvalue() if response.streaming else response.content
        kind = response.headers.get("Content-Type", "")
        is_file = response.headers.get("Content-Disposition", "").startswith("attachment")
        displayed += MARKUP_AS_TEXT.encode() in body
        assert response.headers["X-Content-Type-Options"] == "nosniff", name
        stored = response.headers["Cache-Control"]
        assert "private" in stored, name
        if response.status_code == 200 and name.startswith(("accounts:", "annotation")):
            assert "no-store" in stored, name  # people, secrets, answers
        if MARKUP.encode() in body and not is_file and not kind.startswith("application/"):
            unescaped.append((name, kind))
    assert unescaped == []
    assert displayed > 15


def is_open(browser: Client, method: str, address: str) -> bool:
    """Return whether the URL answers other than as missing; changes are rolled back."""
    with transaction.atomic():
        response = getattr(browser, method)(address)
        if response.streaming:
            b"".join(response.streaming_content)
        transaction.set_rollback(True)
    if LOG_IN.match(response.headers.get("Location", "")):
        return False
    closed = {404, 405} if settings.SESSION_COOKIE_NAME in browser.cookies else {401, 403, 404, 405}
    return response.status_code not in closed
