"""Notes and tags on a passage."""

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from pipeline.data.notes import NOTE_LENGTH, BadTags, add_tags
from pipeline.models import Dataset, Passage, PassageNote, PassageTag
from pipeline.views.lists import researchers_only
from rarrweb.accounts.http import UserRequest, next_page

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
