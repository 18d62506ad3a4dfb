"""Every page of the site, each with something real on it.

`visits()` makes the objects and lists the pages. `NO_PAGES` names the addresses that show none;
a test compares both with the site's own addresses, so that a new page cannot be forgotten.
"""

from django.core.cache import cache

from tests.browser.every_page.campaigns import campaign_visits
from tests.browser.every_page.lab import lab_visits
from tests.browser.every_page.people import people_visits
from tests.browser.every_page.raters import rater_visits
from tests.browser.every_page.visit import Visit

NO_PAGES = {
    # Files, JSON and probes; Swagger UI's page: tests/browser/test_site.py.
    *("healthz", "readyz", "metrics", "help-screenshot", "api:root", "api:schema", "api:docs"),
    *("pipeline:download-dataset", "pipeline:download-run", "pipeline:revision-json"),
    *("pipeline:upload-errors", "annotation:package", "mfa_download_recovery_codes"),
    *("annotation:save-judgments", "annotation:save-visit", "annotation:find-people"),
    # A part of a page that is on it from the start as well.
    *("annotation:task-questions", "annotation:campaign-preview", "annotation:participants"),
    *("annotation:chart", "annotation:joined-chart", "annotation:human-vs-automatic"),
    *("annotation:statistic", "annotation:reliability-summary", "pipeline:compare-chart"),
    *("pipeline:dataset-statistic", "pipeline:corpus-status", "pipeline:run-status"),
    *("pipeline:trial-status", "pipeline:upload-status", "pipeline:new-run-plan"),
    # Redirections to the page where the form is.
    *("mfa_authenticate", "socialaccount_signup", "openid_connect_login"),
    *("openid_connect_callback", "annotation:ask", "annotation:answer-question"),
    *("annotation:submit-task", "pipeline:choose-columns", "pipeline:keep-trial"),
    "pipeline:replace-file",
}
"""Addresses that answer GET with no page of their own. Those that take only POST need no line."""

API = ("pipeline-api:", "annotation-api:")
"""How the names of addresses begin that answer programs; tests of the schema walk them."""


def visits() -> list[Visit]:
    cache.clear()  # figures of other tests' campaigns, which had the same keys
    return [*people_visits(), *lab_visits(), *campaign_visits(), *rater_visits()]
