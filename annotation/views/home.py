"""The home page: what is next for the user."""

from datetime import timedelta

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.adjudication.cases import adjudicated_by
from annotation.campaigns import researcher_home
from annotation.campaigns.progress import in_succession, own_progress
from annotation.guidelines import questions
from annotation.judging.claims import judged_by
from annotation.results.cached_figures import Figures
from pipeline.forms.runs import NewRunForm
from pipeline.workers import registry
from rarrweb.accounts.models import Invitation
from rarrweb.http import UserRequest

SHOWN = 20


@require_safe
def home(request: UserRequest) -> HttpResponse:
    """A rater's campaigns with what is left in them; what waits for a researcher, and the steps."""
    user = request.user
    judged = judged_by(user).order_by("-state", "-created_at", "-pk")[:SHOWN]  # open ones first
    context: dict[str, object] = {"own": own_progress(user, in_succession(judged))}
    if not user.is_researcher:  # who may settle everywhere finds it on the campaigns' pages
        context |= {"adjudicated": adjudicated_by(user)[:SHOWN], "news": questions.news(user)}
        return render(request, "annotation/home.html", context)
    lab = researcher_home.lab_of(user)
    figures = Figures.of_request(request)
    steps = researcher_home.checklist(lab)
    now = next((step for step in steps if not step.done), None)
    context |= {
        "steps": steps,
        "now": now,
        "steps_done": sum(step.done is not None for step in steps),
        # The first run can be started on the spot.
        "form": NewRunForm(user=user) if now and now.name == "run" and now.action else None,
        "waiting": researcher_home.waiting_for(lab, figures),
        "figures": figures,
        "moving": list(researcher_home.moving(lab)),
        "recent": lab.recent,
        "has_begun": bool(lab.campaigns),
        "hides_steps": "hides_steps" in request.COOKIES,
        "invitations": Invitation.objects.usable().count() if user.is_administrator else None,
        "is_work_waiting": lab.is_work_waiting,
        "worker_alive": not lab.is_work_waiting or registry.any_alive(),
        "worker_command": registry.START_COMMAND,
    }
    return render(request, "annotation/home.html", context)


@require_POST
def hide_steps(request: UserRequest) -> HttpResponse:
    """Leave the steps out of the home page, in this browser for a year."""
    response = redirect("home")
    response.set_cookie(
        "hides_steps", "yes", max_age=timedelta(days=365), samesite="Lax", httponly=True,
        secure=request.is_secure(),
    )  # fmt: skip
    return response
