"""The home page: what is next for the user."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.adjudication.cases import adjudicated_by
from annotation.campaigns.next_steps import lab_of, next_step, own_progress
from annotation.guidelines import inbox
from annotation.judging.claims import judged_by
from annotation.models import Campaign
from pipeline.models import Run
from pipeline.workers import registry
from rarrweb.http import UserRequest

RECENT = 5
SHOWN = 20


@require_safe
def home(request: UserRequest) -> HttpResponse:
    """A rater's campaigns with what is left in them; a researcher's next useful step."""
    user = request.user
    judged = judged_by(user).order_by("-state", "-created_at", "-pk")[:SHOWN]  # open ones first
    context: dict[str, object] = {"own": own_progress(user, judged), "news": inbox.news(user)}
    if not user.is_researcher:  # who may settle everywhere finds it on the campaigns' pages
        context["adjudicated"] = adjudicated_by(user)[:SHOWN]
    if user.is_researcher:
        lab = lab_of(user)
        context |= {
            "step": next_step(user, lab),
            "runs": Run.objects.visible_to(user).select_related("dataset", "corpus")[:RECENT],
            "campaigns": Campaign.objects.led_by(user)[:RECENT],
            "is_work_waiting": lab.is_work_waiting,
            "worker_alive": registry.any_alive(),
            "worker_command": registry.START_COMMAND,
        }
    return render(request, "annotation/home.html", context)
