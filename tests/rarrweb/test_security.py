"""Permissions of every URL."""

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from annotation.models import Assignment, Campaign, RaterQuestion
from pipeline.models import (
    Corpus,
    Dataset,
    Document,
    Passage,
    PassageNote,
    Revision,
    Upload,
)
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
MAY: dict[str, set[str]] = {
    name: roles
    for roles, names in (
        ({"nobody", *PEOPLE, *STUDY}, "healthz readyz annotation:enter"),
        (set(), "metrics"),  # nobody without the token: tests/rarrweb/operations/test_metrics.py
        ({"nobody", *PEOPLE}, """
            account_login account_inactive accounts:new-password
            accounts:accept-invitation annotation:join shared-revision
            mfa_authenticate socialaccount_login_cancelled socialaccount_signup"""),
        ({*PEOPLE, *STUDY}, """
            home annotation:my-items annotation:next-task"""),
        ({*PEOPLE}, """
            mfa_activate_totp mfa_generate_recovery_codes mfa_index mfa_reauthenticate
            socialaccount_connections socialaccount_login_error
            search help help-document help-screenshot account_logout accounts:account
            accounts:log-out-elsewhere accounts:theme account_reauthenticate my-data
            annotation:campaigns annotation:adjudications
            pipeline:model api:root"""),
        # Nobody's while no provider is set.
        (set(), "openid_connect_login openid_connect_callback"),
        ({*STUDY}, "annotation:study annotation:stop-study"),
        (RATERS | RESEARCHERS | {"adjudicator"}, """
            annotation:campaign annotation:guidelines annotation:guidelines-history
            annotation:guidelines-version annotation:questions"""),
        (RATERS, """
            annotation:consent annotation:training
            annotation:try-again"""),
        ({"rater", "colleague", "removed"}, "annotation:withdraw-consent"),
        # What one rater was given: not even a researcher opens it as theirs.
        ({"rater"}, """
            annotation:task annotation:submit-task annotation:skip-task annotation:undo-skip
            annotation:feedback annotation:task-questions annotation:ask annotation:save-judgments
            annotation:save-visit"""),
        ({"rater"} | RESEARCHERS, "annotation:question"),
        ({"adjudicator"} | RESEARCHERS, "annotation:adjudicate annotation:accept-majority"),
        ({"owner"}, """
            mfa_deactivate_totp mfa_download_recovery_codes mfa_view_recovery_codes
            accounts:revoke-token pipeline:edit-note pipeline:delete-note pipeline:trial
            pipeline:trial-status pipeline:retry-trial pipeline:keep-trial"""),
        ({"administrator"}, """
            accounts:people accounts:invite accounts:change-role
            accounts:deactivate accounts:reactivate accounts:password-link
            accounts:revoke-invitation accounts:reset-second-factor
            data-of """),
        (RESEARCHERS, """
            accounts:tokens annotation:answer-question annotation:add-members annotation:add-raters
            annotation:human-vs-automatic annotation:campaign-preview annotation:campaign-settings
            annotation:chart annotation:charts annotation:check-settings
            annotation:checks annotation:close-campaign
            annotation:comments compare-passage compare-passages
            annotation:copy-campaign annotation:crowd
            annotation:delete-campaign annotation:differences
            annotation:discard-draft annotation:edit-consent
            annotation:edit-draft annotation:edit-guidelines annotation:export
            annotation:find-people annotation:forget-ids
            annotation:another-attempt annotation:invitations
            annotation:invite-list annotation:invite-rater annotation:items
            annotation:joined-chart joined-results annotation:judge-myself
            annotation:readmit annotation:resume-rater
            annotation:move-on new-campaign annotation:new-entry-address
            annotation:package annotation:participants annotation:preview
            annotation:preview-guidelines
            annotation:raters annotation:release
            annotation:reliability annotation:reliability-summary
            annotation:remove-member annotation:renew-invitation annotation:reopen-campaign
            annotation:results annotation:revoke-invitation
            annotation:reference-answers
            annotation:send-back
            annotation:statistic annotation:statistics
            annotation:undo-send-back annotation:use-item
            annotation:withdraw-item annotation:work annotation-api:begin-production-campaign
            annotation-api:campaign annotation-api:campaigns
            annotation-api:close-campaign annotation-api:export annotation-api:export-manifest
            annotation-api:exports annotation-api:items annotation-api:judgments
            annotation-api:package
            annotation-api:reopen-campaign annotation-api:results annotation-api:start-campaign
            api:docs api:schema pipeline:add-documents pipeline:add-note pipeline:add-passages
            pipeline:cancel-run pipeline:choose-columns pipeline:compare pipeline:compare-chart
            pipeline:corpora pipeline:corpus pipeline:corpus-runs
            pipeline:corpus-status pipeline:dataset pipeline:dataset-runs
            pipeline:dataset-statistic pipeline:dataset-statistics pipeline:datasets
            pipeline:delete-corpus pipeline:delete-dataset pipeline:delete-run
            pipeline:discard-upload pipeline:document pipeline:download-dataset
            pipeline:download-run pipeline:import-upload pipeline:index-corpus
            pipeline:new-corpus pipeline:new-dataset pipeline:new-run
            pipeline:passage pipeline:pause-run
            pipeline:replace-file pipeline:resume-run pipeline:retry-run pipeline:retry-upload
            pipeline:revision
            pipeline:revision-json pipeline:run pipeline:run-configuration pipeline:run-cost
            pipeline:run-revisions pipeline:run-status pipeline:runs
            pipeline:score-dataset pipeline:score-run pipeline:search-corpus
            pipeline:share-revision pipeline:tag-passage pipeline:try pipeline:try-example
            pipeline:unshare-revision pipeline:untag-passage pipeline:upload
            pipeline:upload-errors pipeline:upload-status pipeline-api:cancel-run
            pipeline-api:corpora pipeline-api:corpus pipeline-api:dataset
            pipeline-api:dataset-file pipeline-api:datasets pipeline-api:documents
            pipeline-api:import-upload pipeline-api:index-corpus pipeline-api:passages
            pipeline-api:pause-run pipeline-api:resume-run pipeline-api:retry-run
            pipeline-api:retry-upload
            pipeline-api:revision pipeline-api:revisions pipeline-api:run pipeline-api:run-file
            pipeline-api:runs pipeline-api:upload pipeline-api:uploads"""),
    )
    for name in names.split()
}  # fmt: skip
"""Who opens which address, where what it names is the owner's, the rater's, of their campaign.
A new address needs a place here. For everybody else it is not there."""


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
    for model, field in (
        (Document, "text"), (Document, "title"), (Upload, "file_name"), (PassageNote, "text"),
        (Dataset, "name"), (Corpus, "name"), (Campaign, "name"), (RaterQuestion, "text"),
        (Assignment, "comment"), (Revision, "original_text"),
        (Passage, "context"),
    ):  # fmt: skip
        model._default_manager.update(**{field: MARKUP})
    browser = world.browser_of("owner")
    displayed, result = 0, []
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
            result.append((name, kind))
    assert result == []
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
