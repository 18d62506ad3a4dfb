"""Training and gold items, for researchers."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.adjudication.cases import adjudicated_items
from annotation.judging.item_page import displayed_evidence
from annotation.models import Campaign, Item, Membership, Pause, TrainingAttempt
from annotation.quality_control import gold_items, training
from annotation.quality_control import reference_answers as rights
from annotation.quality_control.forms import CheckSettingsForm, ReferenceAnswersForm, UseForm
from annotation.quality_control.gold_items import Accuracy
from annotation.questionnaires import questionnaire_of
from annotation.views.campaign_head import led_campaign
from pipeline.metrics.inference import share_estimate
from rarrweb.accounts.http import UserRequest
from rarrweb.accounts.models import User

MAX_ADJUDICATED = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    user: User
    attempts: list[TrainingAttempt]
    accuracy: Accuracy | None
    pause: Pause | None

    @property
    def last(self) -> TrainingAttempt | None:
        return self.attempts[-1] if self.attempts else None

    @property
    def waits(self) -> bool:
        """Whether the rater gets no items until a new attempt or a researcher's decision."""
        last = self.last
        failed = last and last.finished_at and not training.is_through(last)
        return bool(self.pause or failed)


@require_safe
def overview(request: UserRequest, slug: str) -> HttpResponse:
    return _overview_page(request, led_campaign(request, slug, "checks"))


@require_POST
def save_settings(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug, "checks")
    count = rights.in_use(campaign).filter(use=Item.Use.TRAINING).count()
    settings = rights.settings_of(campaign)
    form = CheckSettingsForm(request.POST, instance=settings, training_items=count)
    if not form.is_valid():
        return _overview_page(request, campaign, form)
    form.save()
    messages.success(request, "Saved. Applies to items assigned from now on.")
    return redirect("annotation:checks", campaign.slug)


@require_POST
def resume_rater(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    campaign = led_campaign(request, slug, "checks")
    rater = _rater(campaign, user_id)
    ended = gold_items.resume_rater(campaign, rater, by=request.user)
    passed = training.waive_training(campaign, rater, by=request.user)
    if ended or passed:
        messages.success(request, f"{rater.username} can continue with the next item.")
    else:
        messages.info(request, f"{rater.username} was not paused, so nothing has changed.")
    return redirect("annotation:checks", campaign.slug)


@require_POST
def another_attempt(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Allow one more attempt than the settings do."""
    campaign = led_campaign(request, slug, "checks")
    rater = _rater(campaign, user_id)
    try:
        training.try_again(campaign, rater, by=request.user)
    except training.NoAttemptLeft:
        messages.info(request, f"{rater.username} has an attempt in progress or has passed.")
    else:
        messages.success(request, f"{rater.username} has another attempt.")
    return redirect("annotation:checks", campaign.slug)


def _overview_page(
    request: UserRequest,
    campaign: Campaign,
    settings_form: CheckSettingsForm | None = None,
) -> HttpResponse:
    settings = rights.settings_of(campaign)
    shares = gold_items.item_shares(campaign)
    in_use = list(rights.in_use(campaign).prefetch_related("reference_answers"))
    adjudicated = adjudicated_items(campaign).filter(use="").only("position", "text")
    trains = [item for item in in_use if item.use == Item.Use.TRAINING]
    form = settings_form or CheckSettingsForm(instance=settings, training_items=len(trains))
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "is_checkable": bool(rights.checkable(campaign)),
        "settings": settings,
        "settings_form": form,
        "trains": trains,
        "golds": [item for item in in_use if item.use == Item.Use.GOLD],
        "items": [
            {"item": item, "share": share_estimate(*shares.get(item.pk, (0, 0)))} for item in in_use
        ],
        "adjudicated": adjudicated[:MAX_ADJUDICATED],
        "raters": rater_rows(campaign),
    }
    return render(request, "annotation/checks/overview.html", context)


def rater_rows(campaign: Campaign) -> list[RaterRow]:
    attempts: dict[int, list[TrainingAttempt]] = {}
    for row in campaign.training_attempts.order_by("number"):
        attempts.setdefault(row.rater_id, []).append(row)
    accuracies = gold_items.accuracies(campaign)
    pauses = {row.rater_id: row for row in campaign.pauses.filter(ended_at=None)}
    judging = campaign.memberships.filter(role=Membership.Role.ANNOTATOR)
    ids = {*judging.values_list("user", flat=True), *attempts, *accuracies, *pauses}
    return [
        RaterRow(
            user=user,
            attempts=attempts.get(user.pk, []),
            accuracy=accuracies.get(user.pk),
            pause=pauses.get(user.pk),
        )
        for user in User.objects.filter(pk__in=ids).order_by("username")
    ]


def _rater(campaign: Campaign, user_id: int) -> User:
    for row in rater_rows(campaign):
        if row.user.pk == user_id:
            return row.user
    raise Http404


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
    reuse = "Its right answers are kept: open it to use it again."
    messages.success(request, f"Item {item.position:,} is out of use. {reuse}")
    return redirect("annotation:checks", slug)


def _item(request: UserRequest, slug: str, item_id: int) -> Item:
    led = Campaign.objects.led_by(request.user).filter(slug=slug)
    items = Item.objects.filter(campaign__in=led, shared_with=None).select_related("campaign")
    return get_object_or_404(items, pk=item_id)
