"""Saved views of the page that compares passages: saved, opened, renamed, shared, deleted."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.results.passage_list import Asked
from annotation.views.passage_comparison import MOST_RUNS
from pipeline.forms.saved_views import SavedViewForm
from pipeline.models import SavedView
from pipeline.views.comparison import chosen_runs
from pipeline.views.lists import researchers_only
from rarrweb.http import UserRequest, next_page


@require_POST
def save_view(request: UserRequest) -> HttpResponse:
    """Keep what the address asks for, under the form's name."""
    researchers_only(request)
    runs, problem = chosen_runs(request, most=MOST_RUNS)
    if problem or not runs:
        messages.error(request, problem or "Choose runs first: there is nothing to save.")
        return _back(request)
    asked = Asked.of(request.GET, [run.pk for run in runs])
    form = SavedViewForm(
        request.POST,
        owner=request.user,
        instance=SavedView(owner=request.user, dataset=runs[0].dataset, query=asked.query[1:]),
    )
    if view := form.save_once():
        messages.success(request, f"The view “{view.name}” is saved.")
    else:
        messages.error(request, form.fault)
    return _back(request)


@require_safe
def open_view(request: UserRequest, view_id: int) -> HttpResponse:
    view = get_object_or_404(SavedView.objects.visible_to(request.user), pk=view_id)
    return redirect(f"{reverse('annotation:compare-passages')}?{view.query}")


@require_POST
def change_view(request: UserRequest, view_id: int) -> HttpResponse:
    """Rename a view of one's own, share it with researchers or keep it private."""
    form = SavedViewForm(request.POST, owner=request.user, instance=_own(request, view_id))
    if not form.save_once():
        messages.error(request, form.fault)
    return _back(request)


@require_POST
def delete_view(request: UserRequest, view_id: int) -> HttpResponse:
    view = _own(request, view_id)
    view.delete()
    messages.success(request, f"The view “{view.name}” is deleted.")
    return _back(request)


def _own(request: UserRequest, view_id: int) -> SavedView:
    return get_object_or_404(SavedView.objects.owned_by(request.user), pk=view_id)


def _back(request: UserRequest) -> HttpResponse:
    return redirect(f"{next_page(request) or reverse('pipeline:compare')}#views")
