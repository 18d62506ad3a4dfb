"""A campaign's instructions and their history."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.guidelines import versions as guidelines
from annotation.guidelines.versions import NOTE_LIMIT, TEXT_LIMIT
from annotation.models import Campaign, GuidelinesVersion, Membership
from annotation.questionnaires import questionnaire_of
from annotation.views.campaign_head import led_campaign
from pipeline.diff.words import excerpt, word_diff
from rarrweb.accounts.http import UserRequest
from rarrweb.web import markdown
from rarrweb.web.paging import key_of

EMPTY = "Instructions are empty: write them, or go back."


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        label="Instructions",
        strip=False,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 28, "spellcheck": "true"}),
        help_text="Markdown: ### heading, **bold**, *italic*, - list, > example. Links, pictures "
        "and HTML are taken out.",
        error_messages={"required": EMPTY},
    )
    note = forms.CharField(
        label="What has changed",
        max_length=NOTE_LIMIT,
        help_text="One sentence. Raters read it at the top of their next item.",
        error_messages={"required": "What has changed is empty: say it in one sentence."},
    )
    based_on = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def clean_text(self) -> Any:
        text = self.cleaned_data["text"]
        if not text.strip():
            raise forms.ValidationError(EMPTY)
        return text


@require_safe
def read(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    judging = campaign.memberships.filter(role=Membership.Role.ANNOTATOR)
    judges = judging.filter(user_id=request.user.pk).exists()
    displayed = guidelines.guidelines_for(request.user, campaign) if judges else None
    version = displayed.version if displayed else guidelines.newest(campaign)
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "version": version,
        "html": guidelines.html_of(version),
        "shown": displayed,
    }
    return render(request, "annotation/guidelines/read.html", context)


@require_safe
def history(request: UserRequest, slug: str) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    newest = guidelines.newest(campaign)
    editions = guidelines.history(campaign)
    versions = {each["version"].number: each["version"] for each in editions}
    until = versions.get(_number(request, "to")) or newest
    since = versions.get(_number(request, "from")) or versions.get(until.number - 1)
    context = {
        "campaign": campaign,
        "editions": editions,
        "newest": newest,
        "since": since,
        "until": until,
        "pieces": excerpt(word_diff(since.text, until.text), around=240) if since else (),
        "is_same": since is not None and since.text == until.text,
    }
    return render(request, "annotation/guidelines/history.html", context)


@require_safe
def version(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), slug=slug)
    guidelines.newest(campaign)
    requested = get_object_or_404(campaign.guidelines_versions, number=number)
    context = {
        "campaign": campaign,
        "version": requested,
        "html": guidelines.html_of(requested),
        "is_newest": requested.number == campaign.guidelines_version,
    }
    return render(request, "annotation/guidelines/version.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: UserRequest, slug: str) -> HttpResponse:
    """Edit the instructions; `?back=` starts from an old version."""
    campaign = led_campaign(request, slug)
    newest = guidelines.newest(campaign)
    form = GuidelinesForm(request.POST or None, initial=_initial(request, campaign, newest))
    meanwhile = None
    if request.method == "POST" and form.is_valid():
        try:
            saved = guidelines.save_version(campaign, by=request.user, **form.cleaned_data)
        except guidelines.NothingChanged as error:
            form.add_error("text", str(error))
        except guidelines.ChangedMeanwhile as error:
            form.add_error(None, str(error))
            newest = meanwhile = error.newest
        else:
            messages.success(
                request, f"Version {saved.number} is saved. Raters are told on their next item."
            )
            return redirect("annotation:guidelines", campaign.slug)
    text = str(form["text"].value() or "")
    context = {
        "campaign": campaign,
        "form": form,
        "newest": newest,
        "meanwhile": meanwhile,
        **_preview(text, newest),
    }
    return render(request, "annotation/guidelines/edit.html", context)


@require_POST
def preview(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    text = request.POST.get("text", "")[: guidelines.TEXT_LIMIT]
    context = _preview(text, guidelines.newest(campaign))
    return render(request, "annotation/guidelines/_preview.html", context)


def _number(request: UserRequest, name: str) -> int:
    return key_of(request.GET.get(name)) or 0


def _initial(
    request: UserRequest, campaign: Campaign, newest: GuidelinesVersion
) -> dict[str, object]:
    begin: dict[str, object] = {"text": newest.text, "based_on": newest.number}
    if back := _number(request, "back"):
        old = get_object_or_404(campaign.guidelines_versions, number=back)
        begin |= {"text": old.text, "note": f"Back to version {old.number}."}
    return begin


def _preview(text: str, newest: GuidelinesVersion) -> dict[str, object]:
    return {
        "html": markdown.render(text),
        "changes": excerpt(word_diff(newest.text, text.strip().replace("\r\n", "\n"))),
        "is_same": text.strip().replace("\r\n", "\n") == newest.text,
        "newest": newest,
    }
