"""Questions about items: asking from a task, the list, a thread and its replies."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotation.guidelines import inbox
from annotation.guidelines import questions as asking
from annotation.judging.item_page import with_source
from annotation.models import Assignment, Campaign, Thread
from annotation.views.lookups import led_campaign
from pipeline.pages.paging import key_of
from rarrweb.http import UserRequest

PAGE = 25

SHOWS: dict[str, Callable[[QuerySet[Thread]], QuerySet[Thread]]] = {
    "waiting": inbox.waiting,
    "open": lambda threads: threads.filter(closed_at=None),
    "closed": lambda threads: threads.exclude(closed_at=None),
    "all": lambda threads: threads,
}
ACTIONS: dict[str, tuple[Callable[[Thread], None], str]] = {
    "close": (asking.close, "The question is closed."),
    "reopen": (asking.reopen, "The question is open again."),
    "publish": (
        asking.publish,
        "Every rater of the campaign can read it now, without the asker’s name.",
    ),
    "hide": (asking.hide, "Only the rater who asked can read it now."),
}
"""What can be done with a question, and what the page says then."""


@require_safe
@never_cache
def questions(request: UserRequest, slug: str) -> HttpResponse:
    """A campaign's questions: all for who leads it; for a rater their own and published ones."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    threads = Thread.objects.visible_to(request.user).filter(campaign=campaign)
    leads = request.user.is_researcher
    show = request.GET.get("show", "")
    show = show if show in SHOWS else "all"
    rows = SHOWS[show](threads).select_related("item", "asked_by")
    page = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "leads": leads,
        "page": page,
        "talks": inbox.talks(request.user, list(page)),
        "show": show,
        "waiting": inbox.waiting(threads).count() if leads else 0,
        "unread": inbox.unread_by(request.user, threads).count(),
        "any": page.paginator.count or threads.exists(),
    }
    return render(request, "annotation/questions/list.html", context)


@require_safe
@never_cache
def comments(request: UserRequest, slug: str) -> HttpResponse:
    """Raters' comments on items as a whole, in one list, for who leads the campaign."""
    campaign = led_campaign(request, slug)
    page = Paginator(inbox.comments(campaign), PAGE).get_page(request.GET.get("page"))
    context = {"campaign": campaign, "page": page}
    return render(request, "annotation/questions/comments.html", context)


@require_safe
@never_cache
def thread(request: UserRequest, thread_id: int) -> HttpResponse:
    """One question with its item, for anybody who may read it; marks it as read."""
    return _page(request, _visible(request, thread_id))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def reply(request: UserRequest, thread_id: int) -> HttpResponse:
    """A further message; answers with the thread's fragment for htmx."""
    found = _writable(request, thread_id)
    if request.method != "POST":  # a log-in came between, or the page was reloaded
        return redirect(found)
    text, error = request.POST.get("text", ""), ""
    try:
        asking.reply(found, by=request.user, text=text)
    except asking.CannotAsk as refused:
        error = str(refused)
    found.refresh_from_db()
    if request.htmx:
        return _fragment(request, found, text=text if error else "", error=error)
    if error:
        return _page(request, found, text=text, error=error)
    return redirect(found)


@require_POST
def take_back(request: UserRequest, thread_id: int, message_id: int) -> HttpResponse:
    """Remove one's own message while nobody has read it."""
    found = _writable(request, thread_id)
    try:
        is_gone = asking.take_back(found, by=request.user, message_id=message_id)
    except asking.CannotAsk as refused:
        if request.htmx:
            return _fragment(request, found, error=str(refused))
        messages.error(request, str(refused))
        return redirect(found)
    if is_gone:
        if request.htmx and request.htmx.current_url_abs_path != found.get_absolute_url():
            return HttpResponse("")  # the thread's place on the page is empty now
        messages.success(request, "Your question is taken back.")
        list_url = reverse("annotation:questions", args=[found.campaign.slug])
        return HttpResponseClientRedirect(list_url) if request.htmx else redirect(list_url)
    found.refresh_from_db()
    return _fragment(request, found) if request.htmx else redirect(found)


@require_POST
def change(request: UserRequest, thread_id: int, action: str) -> HttpResponse:
    """Do one of `ACTIONS` with a question, for who leads its campaign."""
    found = get_object_or_404(Thread.objects.led_by(request.user), pk=thread_id)
    act, done = ACTIONS[action]
    act(found)
    messages.success(request, str(done))
    return redirect(found)


@require_safe
@never_cache
def beside_task(request: UserRequest, assignment_id: int) -> HttpResponse:
    """The fragment beside a task: the form to ask, what was asked, what is answered."""
    return _beside(request, _assignment(request, assignment_id))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def ask(request: UserRequest, assignment_id: int) -> HttpResponse:
    """A new question about a task's item."""
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
        asked = asking.ask(assignment, text=text, sentence=index)
    except asking.CannotAsk as refused:
        error = str(refused)
    if request.htmx:
        kept = {"text": text, "chosen": number, "error": error} if error else {"is_sent": True}
        return _beside(request, assignment, **kept)
    if error:
        messages.error(request, error)
        return redirect(assignment)
    return redirect(asked)


def _visible(request: UserRequest, thread_id: int) -> Thread:
    return _found(Thread.objects.visible_to(request.user), thread_id)


def _writable(request: UserRequest, thread_id: int) -> Thread:
    """A thread of the user's own, or that they may answer; 404 for other readers."""
    visible = Thread.objects.visible_to(request.user)
    own_or_led = visible.filter(asked_by_id=request.user.pk) | Thread.objects.led_by(request.user)
    return _found(own_or_led, thread_id)


def _found(threads: QuerySet[Thread], thread_id: int) -> Thread:
    return get_object_or_404(threads.select_related("item", "campaign", "asked_by"), pk=thread_id)


def _assignment(request: UserRequest, assignment_id: int) -> Assignment:
    own = Assignment.objects.visible_to(request.user)
    return get_object_or_404(own.select_related("item__campaign", "rater"), pk=assignment_id)


def _page(request: UserRequest, found: Thread, *, text: str = "", error: str = "") -> HttpResponse:
    talk = _read(request, found)
    item = found.item
    own = Assignment.objects.visible_to(request.user).filter(item=item).first()
    context = {
        "talk": talk,
        "campaign": found.campaign,
        "item": item,
        "own": own,
        # A rater who reads another's question sees its sentence, but not the other's item.
        "shows_item": talk.leads or own is not None,
        "sentences": _sentences(found),
        "snippets": [with_source(each) for each in item.evidence],
        "examples": found.examples.order_by("number"),
        "text": text,
        "error": error,
    }
    return render(request, "annotation/questions/thread.html", context)


def _sentences(found: Thread) -> list[dict[str, object]]:
    """The passage in stretches; the one that the question is about is marked."""
    item, shown, end = found.item, [], 0
    for index, offsets in enumerate(item.sentences):
        shown.append(
            {
                "gap": item.text[end : offsets["start"]],
                "text": item.text[offsets["start"] : offsets["end"]],
                "is_asked": index == found.sentence,
            }
        )
        end = offsets["end"]
    return [*shown, {"gap": item.text[end:], "text": "", "is_asked": False}]


def _fragment(
    request: UserRequest, found: Thread, *, text: str = "", error: str = ""
) -> HttpResponse:
    context = {"talk": _read(request, found), "text": text, "error": error}
    return render(request, "annotation/questions/_talk.html", context)


def _beside(request: UserRequest, assignment: Assignment, **kept: object) -> HttpResponse:
    item = assignment.item
    threads = list(inbox.beside_item(request.user, item))
    shown = inbox.talks(request.user, threads, as_rater=True)
    _mark_read(request, shown)
    context = {
        "assignment": assignment,
        "is_open": item.campaign.is_open,
        "fresh": [talk for talk in shown if talk.unread],
        "here": [talk for talk in shown if not talk.unread],
        "sentences": [item.text[offsets["start"] : offsets["end"]] for offsets in item.sentences],
        **kept,
    }
    return render(request, "annotation/questions/_beside.html", context)


def _read(request: UserRequest, found: Thread) -> inbox.Talk:
    """The thread as the page shows it; marks it as read."""
    [talk] = inbox.talks(request.user, [found])
    _mark_read(request, [talk])
    return talk


def _mark_read(request: UserRequest, shown: list[inbox.Talk]) -> None:
    if request.method != "HEAD":
        inbox.mark_read(request.user, shown)
