"""The page of the model card."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pipeline.backends import model_cards
from pipeline.engine.scorer_info import scorer
from rarrweb.accounts.http import UserRequest


@require_safe
def model_detail(request: UserRequest, name: str) -> HttpResponse:
    if name != "compact":
        raise Http404("There is no model card of this name.")
    context = {"card": model_cards.shipped_card(), "now": scorer(name)}
    return render(request, "pipeline/model.html", context)
