"""Training and gold on the researcher's side: settings, the items in use, how each rater is."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation import gold, right_answers, training
from annotation.checks_forms import CheckSettingsForm, UploadForm
from annotation.gold import Accuracy
from annotation.models import Campaign, Item, Membership, Pause, TrainingTry
from annotation.questionnaires import questionnaire_of
from pipeline.metrics.inference import share_estimate
from rarrweb.accounts.models import User
from rarrweb.http import UserRequest

ADJUDICATED_SHOWN = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """One rater's training and accuracy."""

    user: User
    tries: list[TrainingTry]
    accuracy: Accuracy | None
    pause: Pause | None

    @property
    def last(self) -> TrainingTry | None:
        return self.tries[-1] if self.tries else None

    @property
    def waits(self) -> bool:
        """Whether the rater gets nothing until something is done: another try, or to be let on."""
        last = self.last
        failed = last and last.finished_at and not training.is_through(last)
        return bool(self.pause or failed)


@require_safe
@never_cache
def overview(request: UserRequest, slug: str) -> HttpResponse:
    """Everything about training and gold in one campaign."""
    return overview_page(request, led_campaign(request, slug))


@require_POST
def save_settings(request: UserRequest, slug: str) -> HttpResponse:
    campaign = led_campaign(request, slug)
    form = CheckSettingsForm(request.POST, instance=right_answers.settings_of(campaign))
    if not form.is_valid():
        return overview_page(request, campaign, settings_form=form)
    form.save()
    messages.success(request, "Saved. It holds from the next item that anybody asks for.")
    return redirect("annotation:checks", campaign.slug)


@require_POST
def let_on(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """End a pause, or give real items to somebody who has not passed."""
    campaign = led_campaign(request, slug)
    rater = _rater(campaign, user_id)
    ended = gold.let_on(campaign, rater, by=request.user)
    passed = training.let_through(campaign, rater, by=request.user)
    if ended or passed:
        messages.success(request, f"{rater.username} can go on and gets the next item.")
    else:
        messages.info(request, f"{rater.username} was not held up, so nothing has changed.")
    return redirect("annotation:checks", campaign.slug)


@require_POST
def another_try(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Let a rater who has not passed train once more, whatever the number of tries."""
    campaign = led_campaign(request, slug)
    rater = _rater(campaign, user_id)
    try:
        training.try_again(campaign, rater, by=request.user)
    except training.NoTryLeft:
        messages.info(request, f"{rater.username} has a try going on or has passed.")
    else:
        messages.success(request, f"{rater.username} has another try.")
    return redirect("annotation:checks", campaign.slug)


def overview_page(
    request: UserRequest,
    campaign: Campaign,
    *,
    settings_form: CheckSettingsForm | None = None,
    upload_form: UploadForm | None = None,
    errors: object = None,
) -> HttpResponse:
    settings = right_answers.settings_of(campaign)
    shares = gold.item_shares(campaign)
    in_use = list(right_answers.in_use(campaign).prefetch_related("right_answers"))
    adjudicated = right_answers.adjudicated_items(campaign).only("position", "text")
    context = {
        "campaign": campaign,
        "questionnaire": questionnaire_of(campaign),
        "is_checkable": bool(right_answers.checkable(campaign)),
        "settings": settings,
        "settings_form": settings_form or CheckSettingsForm(instance=settings),
        "upload_form": upload_form or UploadForm(),
        "errors": errors,
        "trains": [item for item in in_use if item.use == Item.Use.TRAINING],
        "golds": [item for item in in_use if item.use == Item.Use.GOLD],
        "items": [{"item": item, "share": _share(shares, item)} for item in in_use],
        "adjudicated": adjudicated[:ADJUDICATED_SHOWN],
        "raters": rater_rows(campaign),
    }
    return render(request, "annotation/checks/overview.html", context)


def rater_rows(campaign: Campaign) -> list[RaterRow]:
    """Everybody who judges, or has trained or judged gold, by name."""
    tries: dict[int, list[TrainingTry]] = {}
    for row in campaign.training_tries.order_by("number"):
        tries.setdefault(row.rater_id, []).append(row)
    accuracies = gold.accuracies(campaign)
    pauses = gold.paused(campaign)
    judging = campaign.memberships.filter(role=Membership.Role.ANNOTATOR)
    ids = {*judging.values_list("user", flat=True), *tries, *accuracies, *pauses}
    return [
        RaterRow(
            user=user,
            tries=tries.get(user.pk, []),
            accuracy=accuracies.get(user.pk),
            pause=pauses.get(user.pk),
        )
        for user in User.objects.filter(pk__in=ids).order_by("username")
    ]


def _share(shares: Mapping[int, tuple[int, int]], item: Item) -> object:
    right, n = shares.get(item.pk, (0, 0))
    return share_estimate(right, n)


def led_campaign(request: UserRequest, slug: str) -> Campaign:
    led = Campaign.objects.led_by(request.user).select_related("checks")
    return get_object_or_404(led, slug=slug)


def _rater(campaign: Campaign, user_id: int) -> User:
    """Somebody of the campaign; 404 for anybody else."""
    of_campaign = {row.user.pk: row.user for row in rater_rows(campaign)}
    return of_campaign.get(user_id) or get_object_or_404(User.objects.none(), pk=user_id)
