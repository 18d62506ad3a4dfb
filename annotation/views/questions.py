"""Raters' questions about items."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotation.judging.item_page import displayed_evidence
from annotation.models import Assignment, Campaign, RaterQuestion
from annotation.questions import rater_questions as asking
from annotation.views.campaign_head import led_campaign
from rarrweb.accounts.http import UserRequest
from rarrweb.web.paging import key_of

PAGE = 25


@require_safe
def questions(request: UserRequest, slug: str) -> HttpResponse:
    """List a campaign's questions: all for researchers, their questions for raters."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    visible = RaterQuestion.objects.visible_to(request.user).filter(campaign=campaign)
    show = "waiting" if request.GET.get("show") == "waiting" else "all"
    rows = visible.waiting() if show == "waiting" else visible
    rows = rows.with_news().select_related("item", "rater").prefetch_related("answers")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "leads": request.user.is_researcher,
        "page": page,
        "show": show,
        "waiting": visible.waiting().count(),
        "any": page.paginator.count or visible.exists(),
    }
    return render(request, "annotation/questions/list.html", context)


@require_safe
def comments(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    page = Paginator(asking.comments(campaign), PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page}
    return render(request, "annotation/questions/comments.html", context)


@require_safe
def question(request: UserRequest, question_id: int) -> HttpResponse:
    return _page(request, _visible(request, question_id))


@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: UserRequest, question_id: int) -> HttpResponse:
    row = _visible(request, question_id)
    if not request.user.is_researcher:
        raise Http404
    if request.method != "POST":  # a log-in came between, or the page was reloaded
        return redirect(row)
    text = request.POST.get("text", "")
    try:
        asking.answer(row, by=request.user, text=text)
    except asking.CannotAsk as refused:
        return _page(request, row, text=text, error=str(refused))
    return redirect(row)


@require_safe
def task_questions(request: UserRequest, assignment_id: int) -> HttpResponse:
    return _panel(request, _assignment(request, assignment_id))


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: UserRequest, assignment_id: int) -> HttpResponse:
    assignment = _assignment(request, assignment_id)
    if request.method != "POST":
        return redirect(assignment)
    text, sentence = request.POST.get("text", ""), request.POST.get("sentence", "")
    number = key_of(sentence)
    error = ""
    try:
        if sentence and number is None:
            raise asking.CannotAsk(f"“{sentence[:20]}” is no sentence: choose one of the list.")
        index = None if number is None else number - 1
        row = asking.ask(assignment, text=text, sentence=index)
    except asking.CannotAsk as refused:
        error = str(refused)
    if request.htmx:
        context = {"text": text, "chosen": number, "error": error} if error else {"is_sent": True}
        return _panel(request, assignment, **context)
    if error:
        messages.error(request, error)
        return redirect(assignment)
    return redirect(row)


def _visible(request: UserRequest, question_id: int) -> RaterQuestion:
    rows = RaterQuestion.objects.visible_to(request.user)
    rows = rows.select_related("item", "campaign", "rater").prefetch_related("answers__author")
    return get_object_or_404(rows, pk=question_id)


def _assignment(request: UserRequest, assignment_id: int) -> Assignment:
    visible = Assignment.objects.visible_to(request.user)
    return get_object_or_404(visible.select_related("item__campaign", "rater"), pk=assignment_id)


def _page(
    request: UserRequest, row: RaterQuestion, *, text: str = "", error: str = ""
) -> HttpResponse:
    item = row.item
    context = {
        "question": row,
        "leads": request.user.is_researcher,
        "campaign": row.campaign,
        "item": item,
        "own": Assignment.objects.visible_to(request.user).filter(item=item).first(),
        "sentences": _sentences(row),
        "snippets": [displayed_evidence(each) for each in item.evidence],
        "text": text,
        "error": error,
    }
    response = render(request, "annotation/questions/question.html", context)
    if request.method != "HEAD":
        asking.mark_read(request.user, [row])
    return response


def _sentences(row: RaterQuestion) -> list[dict[str, object]]:
    item, parts, end = row.item, [], 0
    for index, offsets in enumerate(item.sentences):
        parts.append(
            {
                "gap": item.text[end : offsets["start"]],
                "text": item.text[offsets["start"] : offsets["end"]],
                "is_asked": index == row.sentence,
            }
        )
        end = offsets["end"]
    return [*parts, {"gap": item.text[end:], "text": "", "is_asked": False}]


def _panel(request: UserRequest, assignment: Assignment, **context_of_form: object) -> HttpResponse:
    item = assignment.item
    # Researchers who judge are blind here too.
    visible = RaterQuestion.objects.filter(rater_id=request.user.pk, campaign=item.campaign_id)
    rows = visible.with_news().select_related("item", "campaign").prefetch_related("answers")
    questions = [each for each in rows if each.is_new or each.item_id == item.pk]
    context = {
        "assignment": assignment,
        "is_open": item.campaign.is_open,
        "fresh": [each for each in questions if each.is_new],
        "here": [each for each in questions if not each.is_new],
        "sentences": [item.text[offsets["start"] : offsets["end"]] for offsets in item.sentences],
        **context_of_form,
    }
    response = render(request, "annotation/questions/_panel.html", context)
    if request.method != "HEAD":
        asking.mark_read(request.user, questions)
    return response
