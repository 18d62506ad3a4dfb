"""Pages to give, withdraw and write consent."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from annotation.judging.claims import campaigns_of_rater
from annotation.models import Campaign, ConsentText, Participant
from annotation.raters import consent, participants
from annotation.raters.forms import ConsentTextForm, consent_draft
from annotation.views.campaign_head import led_campaign
from annotation.views.gates import participant_of
from annotation.views.tasks import go_on
from rarrweb.accounts.http import UserRequest
from rarrweb.web.markdown import render as render_markdown


@require_http_methods(["GET", "HEAD", "POST"])
def consent_page(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(campaigns_of_rater(request.user), slug=slug)
    last = consent.last_answer(request.user, campaign)
    agreement = consent.agreement(request.user, campaign)
    text = consent.current_text(campaign)
    if text is None and last is not None and request.method != "POST":
        text = (agreement or last).text  # still to be read
    if text is None:
        return redirect(campaign)
    if request.method == "POST":
        answer = request.POST.get("answer", "")
        if answer not in {consent.Answer.AGREED, consent.Answer.DECLINED}:
            messages.error(request, "Choose “I agree” or “I do not agree”.")
            return redirect("annotation:consent", campaign.slug)
        if request.POST.get("version") != str(text.version):
            messages.warning(request, str(consent.TextChanged()))
            return redirect("annotation:consent", campaign.slug)
        return _answered(request, campaign, text, answer)
    is_agreed = agreement is not None and agreement == last and agreement.text_id == text.pk
    context = {
        "campaign": campaign,
        "text": text,
        "html": render_markdown(text.text),
        "last": last,
        "agreement": agreement,
        "is_agreed": is_agreed,
    }
    return render(request, "annotation/consent.html", context)


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
            participants.finish(participant, Participant.State.DECLINED)
            return redirect("annotation:study")
        refused = "You did not agree, so you get no items. You can change your answer here."
        messages.info(request, refused)
        return redirect(campaign)
    if participant is not None:
        if participant.state == Participant.State.DECLINED:
            participants.reactivate(participant)
        return redirect("annotation:study")
    return go_on(request, campaign)


@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: UserRequest, slug: str) -> HttpResponse:
    """Withdraw consent; the page states the consequences first."""
    campaign = get_object_or_404(consent.answered_by(request.user), slug=slug)
    agreement = consent.agreement(request.user, campaign)
    if agreement is None:
        raise Http404
    if request.method != "POST":
        context = {"campaign": campaign, "text": agreement.text}
        return render(request, "annotation/consent_withdraw.html", context)
    participant = participant_of(request)
    try:
        text = consent.withdraw(request.user, campaign)
    except consent.NothingToWithdraw:
        raise Http404 from None
    if participant is not None:
        participants.finish(participant, Participant.State.RETURNED)
    if text.withdrawal == ConsentText.Withdrawal.DELETE:
        done = "Your consent is withdrawn, and all your judgments are deleted."
    else:
        done = "Your consent is withdrawn. You get no more items."
    messages.success(request, done)
    return redirect("home" if participant is None else "annotation:study")


@require_http_methods(["GET", "HEAD", "POST"])
def edit_consent(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    current, draft = consent.current_text(campaign), consent_draft(campaign)
    initial = {
        "text": current.text if current else draft,
        "withdrawal": current.withdrawal if current else ConsentText.Withdrawal.DELETE,
    }
    form = ConsentTextForm(request.POST or None, initial=initial, draft=draft)
    preview = None
    if request.method == "POST":
        if "stop" in request.POST:
            return _published(request, campaign, text="", withdrawal=initial["withdrawal"])
        if form.is_valid():
            if "preview" not in request.POST:
                return _published(request, campaign, **form.cleaned_data)
            preview = render_markdown(form.cleaned_data["text"])
    context = {
        "campaign": campaign,
        "current": current,
        "form": form,
        "preview": preview,
        "versions": consent.versions(campaign).select_related("created_by"),
    }
    return render(request, "annotation/consent_edit.html", context)


def _published(
    request: UserRequest, campaign: Campaign, *, text: str, withdrawal: str
) -> HttpResponse:
    made = consent.publish(campaign, text=text, withdrawal=withdrawal, by=request.user)
    if made is None:
        messages.info(request, "Nothing has changed, so there is no new version.")
    elif made.text:
        done = f"Version {made.version} applies from now on. Raters see it before their next item."
        messages.success(request, done)
    else:
        messages.success(request, "Raters are no longer asked for consent.")
    return redirect("annotation:edit-consent", campaign.slug)
