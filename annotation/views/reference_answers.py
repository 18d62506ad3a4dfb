"""Use items for training or gold."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation.judging.item_page import displayed_evidence
from annotation.models import Campaign, Item
from annotation.quality_control import reference_answers as rights
from annotation.quality_control.forms import ReferenceAnswersForm, UseForm
from annotation.questionnaires import questionnaire_of
from rarrweb.accounts.http import UserRequest


@require_http_methods(["GET", "HEAD", "POST"])
def reference_answers(request: UserRequest, slug: str, item_id: int) -> HttpResponse:
    item = _item(request, slug, item_id)
    stored = rights.answers_of(item)
    proposed = {} if stored else rights.adjudicated(item)
    form = ReferenceAnswersForm(request.POST or None, item=item, given=stored or proposed)
    if request.method == "POST" and form.is_valid():
        use = form.cleaned_data["use"]
        rights.use_item(item, use=use, answers=form.answers(), by=request.user)
        messages.success(request, f"Item {item.position:,} is a {use} item now.")
        return redirect("annotation:checks", slug)
    criteria = {criterion.name: criterion for criterion in rights.checkable(item.campaign)}
    rows = []
    for name, target in form.targets:
        value, why = form.fields_of((name, target))
        title = criteria[name].target_title(target, named=len(criteria) > 1)
        text = criteria[name].target_text(item, target)
        rows.append({"title": title, "text": text, "value": value, "why": why})
    context = {
        "campaign": item.campaign,
        "questionnaire": questionnaire_of(item.campaign),
        "item": item,
        "form": form,
        "rows": rows,
        "is_proposed": bool(proposed),
        "snippets": [displayed_evidence(each) for each in item.evidence],
    }
    return render(request, "annotation/checks/reference_answers.html", context)


@require_POST
def use_item(request: UserRequest, slug: str, item_id: int) -> HttpResponse:
    """Use an item with its reference answers, or else with the adjudicated ones."""
    item = _item(request, slug, item_id)
    form = UseForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose training or gold.")
        return redirect("annotation:checks", slug)
    use = form.cleaned_data["use"]
    try:
        if item.reference_answers.exists():
            rights.use_again(item, use=use)
        else:
            rights.use_item(item, use=use, answers=rights.adjudicated(item), by=request.user)
    except rights.NoReferenceAnswer as error:
        messages.error(request, str(error))
        return redirect("annotation:reference-answers", slug, item.pk)
    messages.success(request, f"Item {item.position:,} is a {use} item now.")
    return redirect("annotation:checks", slug)


@require_POST
def withdraw_item(request: UserRequest, slug: str, item_id: int) -> HttpResponse:
    item = _item(request, slug, item_id)
    rights.withdraw(item)
    messages.success(
        request,
        f"Item {item.position:,} is out of use. Its right answers are kept: "
        "open it to use it again.",
    )
    return redirect("annotation:checks", slug)


def _item(request: UserRequest, slug: str, item_id: int) -> Item:
    led = Campaign.objects.led_by(request.user).filter(slug=slug)
    items = Item.objects.filter(campaign__in=led).select_related("campaign")
    return get_object_or_404(items, pk=item_id)
