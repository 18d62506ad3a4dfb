from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.adjudication.cases import adjudicated_by
from annotation.campaigns.progress import assigned_campaigns, in_succession
from annotation.home.researcher_home import load_dashboard
from annotation.judging.claims import campaigns_of_rater
from annotation.questions import rater_questions
from annotation.results.cached_figures import FigureCache
from pipeline.views.lists import worker_state
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import Invitation

LIMIT = 20


@require_safe
def home(request: UserRequest) -> HttpResponse:
    user = request.user
    judged = campaigns_of_rater(user).order_by("-state", "-created_at", "-pk")  # open ones first
    assigned = assigned_campaigns(user, in_succession(judged[:LIMIT]))
    has_items = any(each.campaign.is_open and each.left > 0 for each in assigned)
    context: dict[str, object] = {"own": assigned, "has_items": has_items}
    if not user.is_researcher:
        context["adjudicated"] = adjudicated_by(user)[:LIMIT]
        context["news"] = rater_questions.news(user)
        return render(request, "annotation/home.html", context)
    cache = FigureCache.of_request(request)
    context |= {"figure_cache": cache} | load_dashboard(user, cache)
    if context["is_work_waiting"]:
        context |= worker_state()
    if user.is_administrator:
        context["invitations"] = Invitation.objects.usable().count()
    return render(request, "annotation/home.html", context)
