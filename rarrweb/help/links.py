"""The document that each page links to."""

from functools import partial
from typing import Any

from django.http import HttpRequest

from rarrweb.accounts.models import User
from rarrweb.help.documents import INDEX, document_url

DOCUMENTS = {
    "formats#passages": (
        "datasets new-dataset dataset dataset-runs delete-dataset add-passages passage upload"
    ),
    "formats#corpora": (
        "corpora new-corpus corpus search-corpus corpus-runs delete-corpus add-documents document"
    ),
    "systems": (
        "runs new-run run run-cost run-configuration delete-run run-revisions revision compare"
    ),
    "results#share-a-revision": "shared-revision",
    "results#try-a-passage": "try trial",
    "results#compare-passage-by-passage": "compare-passages compare-passage",
    "model-card": "model",
    "campaigns": (
        "campaigns new-campaign campaign edit-draft preview move-on delete-campaign work items "
        "campaign-settings"
    ),
    "raters": (
        "raters add-raters invitations crowd participants forget-ids consent edit-consent people "
        "invite password-link account"
    ),
    "campaigns#instructions-and-questions": (
        "guidelines edit-guidelines guidelines-history guidelines-version questions question "
        "comments"
    ),
    "campaigns#training-items-and-gold-items": "checks reference-answers training feedback",
    "results": "results joined-results",
    "results#disagreements-and-adjudication": "differences adjudications adjudicate",
    "statistics": "reliability",
    "formats#exports": "export",
    "importing-judgments": "import-judgments",
    "questionnaires": "task next-task",
    "saving": "my-items",
    "api": "tokens docs",
}
"""Document and section → names of views, without their app."""
OF_VIEWS = {view: document for document, views in DOCUMENTS.items() for view in views.split()}


def documentation(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `documentation_url`."""
    return {"documentation_url": partial(_url, request)}


def _url(request: HttpRequest) -> str:
    if isinstance(request.user, User) and not request.user.is_researcher:
        return document_url(INDEX)
    match = request.resolver_match
    document, _, section = OF_VIEWS.get(match.url_name or "" if match else "", INDEX).partition("#")
    return document_url(document) + (f"#{section}" if section else "")
