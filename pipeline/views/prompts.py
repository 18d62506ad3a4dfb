"""The prompts: all with their versions; one filled with a passage, beside the shipped one."""

from django.conf import settings
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pipeline.backends import asks_language_model
from pipeline.diff.lines import line_diff
from pipeline.engine.language_models import current_prompts
from pipeline.models import Dataset, Passage
from pipeline.pages.prompt_preview import values_for
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.prompts import PLACEHOLDERS, Prompts, load_prompts
from pipeline.views.lists import researchers_only
from rarrweb.http import UserRequest

DATASETS_SHOWN = 200


@require_safe
def prompt_list(request: UserRequest) -> HttpResponse:
    researchers_only(request)
    prompts, fault = _prompts()
    context = {
        "prompts": prompts,
        "fault": fault,
        "llm": settings.RARR_LLM,
        "is_asked": asks_language_model(llm=settings.RARR_LLM, entailment=settings.RARR_ENTAILMENT),
        "folder": settings.RARR_PROMPTS,
    }
    return render(request, "pipeline/prompts.html", context)


@require_safe
def prompt_detail(request: UserRequest, name: str) -> HttpResponse:
    """`?dataset=SLUG&passage=ID` chooses the passage that the prompt is filled with."""
    researchers_only(request)
    if name not in PLACEHOLDERS:
        raise Http404("There is no prompt of this name.")
    prompts, fault = _prompts()
    template = prompts[name]
    datasets = Dataset.objects.visible_to(request.user)
    slug = request.GET.get("dataset", "")
    wanted = request.GET.get("passage", "").strip()
    # A slug that nobody may see, or that is nonsense, chooses nothing.
    chosen = datasets.filter(slug=slug).first() if slug else None
    passage = _passage(chosen, wanted) if chosen else None
    context = {
        "template": template,
        "fault": fault,
        "parts": template.parts(**values_for(template, passage)),
        "diff": line_diff(template.shipped, template.content) if template.is_override else (),
        "datasets": datasets.order_by("name")[:DATASETS_SHOWN],
        "chosen": chosen,
        "passage": passage,
        "wanted": wanted,
    }
    return render(request, "pipeline/prompt.html", context)


def _passage(dataset: Dataset, external_id: str) -> Passage | None:
    """The passage of that id, the first where none is asked for; None where it is not there."""
    passages = Passage.objects.filter(dataset=dataset).order_by("pk")
    if not external_id:
        return passages.first()
    return passages.filter(external_id=external_id).first()


def _prompts() -> tuple[Prompts, str]:
    """The prompts in use; or the shipped ones, and what is wrong with the user's folder."""
    try:
        return current_prompts(), ""
    except BadConfig as error:
        return load_prompts(is_chat=settings.RARR_LLM_API == "chat"), str(error)
