"""The list of a run's revisions, and their pages."""

import json
import logging

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from pipeline.backends.calls import Call, totals
from pipeline.engine.scorer_info import run_scorer
from pipeline.models import Revision
from pipeline.pages.revision_list import filter_chips, find_neighbours, listed, listing_of
from pipeline.pages.run_head import run_head
from pipeline.pages.stored_page import is_answer, stored_answer, stored_page
from pipeline.runs import sharing
from pipeline.runs.cited_answers import answer_row
from pipeline.runs.stored_revisions import UnreadableResult, public_row
from pipeline.views.lists import visible_run
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.addresses import absolute
from rarrweb.web.streaming import download_headers

logger = logging.getLogger(__name__)


@require_safe
def run_revisions(request: UserRequest, run_id: int) -> HttpResponse:
    run = visible_run(request, run_id)
    revisions = Revision.objects.visible_to(request.user).filter(run=run)
    page = listed(revisions, request.GET, listing_of(run))
    context = {
        **run_head(run, tab="run-revisions"),
        "list": page,
        "chips": filter_chips(revisions, page),
        "scorer": run_scorer(run.config, run.versions),
    }
    return render(request, "pipeline/revisions.html", context)


@require_safe
def revision_detail(request: UserRequest, revision_id: int) -> HttpResponse:
    revision = _visible(request, revision_id)
    if revision.run.is_trial:
        return redirect("pipeline:trial", revision.pk)
    siblings = Revision.objects.visible_to(request.user).filter(run=revision.run)
    list_query = listing_of(revision.run).parse(request.GET)
    calls = _calls(revision)
    context = {
        **share_context(request, revision),
        "revision": revision,
        "calls": calls,
        "call_totals": totals(calls),
        "run": revision.run,
        "scorer": run_scorer(revision.run.config, revision.run.versions),
        "gate": str(revision.run.config.get("llm", "")),
        "page": stored_page(revision),
        "answer": stored_answer(revision),
        "list_query": list_query,
        "neighbours": find_neighbours(siblings, list_query, revision.pk),
    }
    return render(request, "pipeline/revision.html", context)


def share_context(request: UserRequest, revision: Revision) -> dict[str, object]:
    """Return the context of `_revision_share.html`."""
    if not (share := getattr(revision, "share", None)):
        return {}
    link = absolute(reverse("shared-revision", args=[share.token]), request=request)
    return {"share": share, "share_link": link}


@require_POST
def share_revision(request: UserRequest, revision_id: int) -> HttpResponse:
    """Make a link, or change what it shows."""
    revision = _visible(request, revision_id)
    if revision.state != Revision.State.DONE:
        raise Http404("This passage has no result.")
    sharing.share_revision(revision, by=request.user, shows_raters="raters" in request.POST)
    return redirect(f"{revision.get_absolute_url()}#share")


@require_POST
def unshare_revision(request: UserRequest, revision_id: int) -> HttpResponse:
    sharing.unshare_revision(revision := _visible(request, revision_id))
    messages.success(request, "The link is revoked.")
    return redirect(revision)


@require_safe
def revision_json(request: UserRequest, revision_id: int) -> HttpResponse:
    revision = _visible(request, revision_id)
    if revision.state != Revision.State.DONE or revision.run.is_trial:
        raise Http404("This passage has no result to export.")
    try:
        row = answer_row(revision) if is_answer(revision) else public_row(revision)
    except UnreadableResult as error:
        raise Http404(str(error)) from None
    audit.record("exported", revision)
    return HttpResponse(
        json.dumps(row, ensure_ascii=False) + "\n",
        content_type="application/json",
        headers=download_headers(f"revision-{revision.pk}.json"),
    )


def _visible(request: UserRequest, revision_id: int) -> Revision:
    """Return a revision of the lab, or of the user's trials."""
    rows = Revision.objects.all()
    revisions = rows.visible_to(request.user) | rows.trials_of(request.user)
    return get_object_or_404(
        revisions.select_related("run__dataset", "run__corpus", "passage", "share__shared_by"),
        pk=revision_id,
    )


def _calls(revision: Revision) -> list[Call]:
    """Return the calls; [] if they cannot be read."""
    try:
        return [Call.from_plain(each) for each in revision.calls]
    except (TypeError, ValueError) as error:
        logger.warning("the calls of revision %s cannot be read: %s", revision.pk, error)
        return []
