"""The page that leads from a dataset's questions to a labelled set."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.campaigns.labelled_set import labelled_set
from pipeline.backends import is_language_model
from pipeline.views.datasets import dataset_tabs, visible_dataset
from pipeline.views.lists import researchers_only
from rarrweb.http import UserRequest


@require_safe
@never_cache
def labelled_set_of(request: UserRequest, slug: str) -> HttpResponse:
    """Each stage with what is there, and the button for what is next."""
    researchers_only(request)
    dataset = visible_dataset(request, slug)
    context = {
        "dataset": dataset,
        "tabs": dataset_tabs(dataset, "labelled-set"),
        "set": labelled_set(dataset, request.user),
        "asks_llm": is_language_model(settings.RARR_LLM),
    }
    return render(request, "annotation/labelled_set.html", context)
