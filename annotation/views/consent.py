"""The consent page: read it, agree or not, take it back; and the researcher's, to write it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation import consent, participants
from annotation.assigning import judged_by
from annotation.consent_form import ConsentTextForm, draft
from annotation.markdown import render as render_markdown
from annotation.models import Campaign, ConsentText, Participant
from annotation.views.gates import no_place, participant_of
from rarrweb.http import UserRequest


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def consent_page(request: UserRequest, slug: str) -> HttpResponse:
    """What the rater is asked to agree to; "I agree" leads on to the items."""
    campaign = get_object_or_404(judged_by(request.user), slug=slug)
    last = consent.last_answer(request.user, campaign)
    text = consent.current_text(campaign)
    if text is None and last is not None and request.method != "POST":
        text = last.text  # nothing is asked any more, but what one agreed to can be read
    if text is None:
        return redirect(campaign)
    if request.method == "POST":
        answer = request.POST.get("answer", "")
        if answer not in {consent.Answer.AGREED, consent.Answer.DECLINED}:
            messages.error(request, gettext("Choose “I agree” or “I do not agree”."))
            return redirect("annotation:consent", campaign.slug)
        if request.POST.get("version") != str(text.version):
            messages.warning(request, str(consent.TextChanged()))
            return redirect("annotation:consent", campaign.slug)
        return _answered(request, campaign, text, answer)
    return render(
        request,
        "annotation/consent.html",
        {
            "campaign": campaign,
            "text": text,
            "html": render_markdown(text.text),
            "last": last,
            "is_agreed": last is not None
            and last.text_id == text.pk
            and last.answer == consent.Answer.AGREED,
            "is_newer": last is not None
            and last.text_id != text.pk
            and last.answer == consent.Answer.AGREED,
        },
    )


def _answered(
    request: UserRequest, campaign: Campaign, text: ConsentText, answer: str
) -> HttpResponse:
    try:
        consent.answer(text, user=request.user, answer=answer)
    except consent.TextChanged as error:
        messages.warning(request, str(error))
        return redirect("annotation:consent", campaign.slug)
    participant = participant_of(request)
    if answer == consent.Answer.DECLINED:
        if participant is not None:
            participants.end(participant, Participant.State.DECLINED)
            return redirect("annotation:study")
        messages.info(
            request,
            gettext(
                "You did not agree, so you get no items. If you change your mind, come back here."
            ),
        )
        return redirect(campaign)
    if participant is not None:
        if participant.state == Participant.State.DECLINED:
            try:
                participants.take_up_again(participant)
            except participants.NoPlaceLeft:
                return no_place(request)
        return redirect("annotation:study")
    return redirect(f"{reverse('annotation:next-task')}?campaign={campaign.slug}")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def withdraw(request: UserRequest, slug: str) -> HttpResponse:
    """Take the consent back: what then happens to the work is said first, and done."""
    campaign = get_object_or_404(consent.answered_by(request.user), slug=slug)
    last = consent.last_answer(request.user, campaign)
    if last is None or last.answer != consent.Answer.AGREED:
        raise Http404
    if request.method != "POST":
        context = {"campaign": campaign, "text": last.text}
        return render(request, "annotation/consent_withdraw.html", context)
    participant = participant_of(request)
    try:
        text = consent.withdraw(request.user, campaign)
    except consent.NothingToWithdraw:
        raise Http404 from None
    if participant is not None:
        participants.end(participant, Participant.State.RETURNED)
    if text.withdrawal == ConsentText.Withdrawal.DELETE:
        done = gettext("Your consent is taken back, and everything that you judged is deleted.")
    else:
        done = gettext("Your consent is taken back. You get no more items.")
    messages.success(request, done)
    return redirect("home" if participant is None else "annotation:study")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def edit_consent(request: UserRequest, slug: str) -> HttpResponse:
    """Write the consent page: look at it, publish it as a new version, or ask nothing any more."""
    campaign = get_object_or_404(Campaign.objects.led_by(request.user), slug=slug)
    current = consent.current_text(campaign)
    initial = {
        "text": current.text if current else draft(),
        "withdrawal": current.withdrawal if current else ConsentText.Withdrawal.DELETE,
    }
    form = ConsentTextForm(request.POST or None, initial=initial)
    preview = None
    if request.method == "POST":
        if "stop" in request.POST:
            return _published(request, campaign, text="", withdrawal=initial["withdrawal"])
        if form.is_valid():
            if "preview" not in request.POST:
                return _published(request, campaign, **form.cleaned_data)
            preview = render_markdown(form.cleaned_data["text"])
    return render(
        request,
        "annotation/consent_edit.html",
        {
            "campaign": campaign,
            "current": current,
            "form": form,
            "preview": preview,
            "versions": consent.versions(campaign).select_related("created_by"),
        },
    )


def _published(
    request: UserRequest, campaign: Campaign, *, text: str, withdrawal: str
) -> HttpResponse:
    made = consent.publish(campaign, text=text, withdrawal=withdrawal, by=request.user)
    if made is None:
        messages.info(request, gettext("Nothing has changed, so there is no new version."))
    elif made.text:
        messages.success(
            request,
            gettext(
                "Version %(version)d is asked from now on. Raters see it before their next item."
            )
            % {"version": made.version},
        )
    else:
        messages.success(request, gettext("Raters are asked for nothing from now on."))
    return redirect("annotation:edit-consent", campaign.slug)
