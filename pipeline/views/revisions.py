"""A run's revisions and their pages; notes and tags on passages."""

import json
import logging

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from pipeline.backends.calls import Call, totals
from pipeline.data.notes import NOTE_LENGTH, BadTags, add_tags
from pipeline.engine.scorer_info import run_scorer
from pipeline.models import Dataset, Passage, PassageNote, PassageTag, Revision
from pipeline.pages.revision_list import filter_chips, find_neighbours, listed, listing_of
from pipeline.pages.run_table import run_head
from pipeline.pages.stored_page import is_answer, stored_answer, stored_page
from pipeline.runs import sharing
from pipeline.runs.cited_answers import answer_row
from pipeline.runs.stored_revisions import UnreadableResult, public_row
from pipeline.views.lists import researchers_only, visible_run
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest, next_page
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
        "gate": revision.run.gate_model,
        "page": stored_page(revision),
        "answer": stored_answer(revision),
        "list_query": list_query,
        "neighbours": find_neighbours(siblings, list_query, revision.pk),
    }
    return render(request, "pipeline/revision.html", context)


def share_context(request: UserRequest, revision: Revision) -> dict[str, object]:
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


TEXT = forms.CharField(
    max_length=NOTE_LENGTH,
    error_messages={
        "required": "The note is empty: write something.",
        "max_length": f"The note is too long: at most {NOTE_LENGTH:,} characters.",
    },
)


@require_POST
def add_note(request: UserRequest, slug: str, passage_id: int) -> HttpResponse:
    passage = _passage(request, slug, passage_id)
    if text := _text(request):
        PassageNote.objects.create(passage=passage, author=request.user, text=text)
    return _back(request, passage)


@require_POST
def edit_note(request: UserRequest, note_id: int) -> HttpResponse:
    note = _user_note(request, note_id)
    text = _text(request)
    if text and text != note.text:
        note.text, note.edited_at = text, timezone.now()
        note.save(update_fields=["text", "edited_at"])
    return _back(request, note.passage)


@require_POST
def delete_note(request: UserRequest, note_id: int) -> HttpResponse:
    note = _user_note(request, note_id)
    note.delete()
    messages.success(request, "The note is deleted.")
    return _back(request, note.passage)


@require_POST
def tag_passage(request: UserRequest, slug: str, passage_id: int) -> HttpResponse:
    passage = _passage(request, slug, passage_id)
    try:
        add_tags(passage, request.POST.get("tags", ""), by=request.user)
    except BadTags as error:
        messages.error(request, str(error))
    return _back(request, passage)


@require_POST
def untag_passage(request: UserRequest, slug: str, passage_id: int) -> HttpResponse:
    passage = _passage(request, slug, passage_id)
    PassageTag.objects.filter(passage=passage, name=request.POST.get("tag", "")).delete()
    return _back(request, passage)


def _text(request: UserRequest) -> str:
    """Return the note; "" with a message if it is not valid."""
    try:
        return str(TEXT.clean(request.POST.get("text")))
    except forms.ValidationError as error:
        messages.error(request, error.messages[0])
        return ""


def _passage(request: UserRequest, slug: str, passage_id: int) -> Passage:
    researchers_only(request)
    visible = Dataset.objects.visible_to(request.user).filter(slug=slug)
    passages = Passage.objects.filter(dataset__in=visible).select_related("dataset")
    return get_object_or_404(passages, pk=passage_id)


def _user_note(request: UserRequest, note_id: int) -> PassageNote:
    notes = PassageNote.objects.visible_to(request.user).filter(author=request.user)
    return get_object_or_404(notes.select_related("passage__dataset"), pk=note_id)


def _back(request: UserRequest, passage: Passage) -> HttpResponse:
    page = reverse("pipeline:passage", args=[passage.dataset.slug, passage.pk])
    return redirect(f"{next_page(request) or page}#notes")
