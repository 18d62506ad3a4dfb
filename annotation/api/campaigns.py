from collections.abc import Callable
from typing import Any

from django.shortcuts import get_object_or_404
from django_filters import CharFilter, ChoiceFilter
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.campaigns import lifecycle
from annotation.campaigns.creation import check_settings, make_campaigns
from annotation.campaigns.forms import runs_to_judge
from annotation.campaigns.progress import phases_of
from annotation.items.selection import NothingToJudge
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.raters.memberships import people_to_add
from pipeline.api.collections import CreatedBySerializer, config_error
from pipeline.generation.answer_format import PROBLEMS
from pipeline.models import Dataset, Run
from pipeline.rarr.errors import BadConfig
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.start import RunRefused
from rarrweb.accounts.models import User
from rarrweb.api.resources import Resource
from rarrweb.web.api_lists import ArchivedFilters, Conflict
from rarrweb.web.names import check_name

MAX_RUNS = 100
MAX_RATERS = 100


class CampaignSerializer(CreatedBySerializer):
    """Items shown to raters under one questionnaire."""

    options = serializers.ListField(child=serializers.CharField(), read_only=True)
    excluded_problems = serializers.ListField(child=serializers.CharField(), read_only=True)
    excluded = serializers.DictField(
        read_only=True, help_text="What was left out for its form when the campaign began."
    )
    runs = serializers.SerializerMethodField()

    class Meta:
        model = Campaign
        fields = [
            *("slug", "name", "questionnaire", "options", "runs", "sides"),
            *("raters_per_item", "max_raters", "pilot_size", "pilot_raters"),
            *("sample_size", "seed", "may_repeat_passages"),
            *(
                "excluded_problems",
                "excluded",
                "state",
                "item_count",
                "shared_count",
                "passage_count",
            ),
            *("created_by", "created_at", "archived_at"),
        ]
        read_only_fields = fields

    def get_runs(self, campaign: Campaign) -> list[int]:
        return sorted(run.pk for run in campaign.runs.all())


class PhaseSerializer(serializers.Serializer[Any]):
    """Progress of a phase."""

    phase = serializers.CharField()
    items = serializers.IntegerField()
    wanted = serializers.IntegerField(help_text="Submissions that its items need or have.")
    done = serializers.IntegerField(help_text="Submissions that count.")
    complete = serializers.IntegerField(help_text="Items that need nobody any more.")


class CampaignDetailSerializer(CampaignSerializer):
    """A campaign with its progress."""

    phases = serializers.SerializerMethodField()

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "phases"]
        read_only_fields = fields

    @extend_schema_field(PhaseSerializer(many=True))
    def get_phases(self, campaign: Campaign) -> Any:
        return PhaseSerializer(phases_of([campaign]).get(campaign.pk, []), many=True).data


class NewCampaignSerializer(serializers.Serializer[Any]):
    """A draft; defaults are those of the page *New campaign*."""

    name = serializers.CharField(
        max_length=200,
        required=False,
        validators=[check_name],
        help_text="Raters see it. Without one: the dataset's name.",
    )
    questionnaire = serializers.ChoiceField(choices=list(QUESTIONNAIRES), default="attribution")
    runs = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        required=False,
        max_length=MAX_RUNS,
        help_text="Runs with finished revisions.",
    )
    dataset = serializers.SlugField(
        max_length=100, required=False, help_text="A dataset to judge as it is, without a run."
    )
    sides = serializers.ChoiceField(choices=Campaign.Side.choices, required=False)
    excluded_problems = serializers.ListField(
        child=serializers.ChoiceField(choices=list(PROBLEMS)),
        required=False,
        help_text="Answers of strategies with any of these format problems are excluded.",
    )
    raters_per_item = serializers.IntegerField(min_value=1, max_value=20, required=False)
    max_raters = serializers.IntegerField(
        min_value=2,
        max_value=20,
        required=False,
        allow_null=True,
        help_text="An item whose raters differ gets more of them, up to this number.",
    )
    may_repeat_passages = serializers.BooleanField(
        required=False,
        help_text="Whether a rater may judge several versions of a passage: by default yes.",
    )
    sample_size = serializers.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        allow_null=True,
        help_text="Passages drawn at random from each run; without it, all.",
    )
    pilot_size = serializers.IntegerField(min_value=0, max_value=1_000_000, required=False)
    pilot_raters = serializers.IntegerField(min_value=1, max_value=20, required=False)
    options = serializers.ListField(
        child=serializers.CharField(max_length=50),
        required=False,
        max_length=20,
        help_text="Names of the questionnaire's options; those of the paper by default.",
    )
    seed = serializers.CharField(max_length=100, required=False, allow_blank=True)
    raters = serializers.ListField(
        child=serializers.CharField(max_length=150),
        required=False,
        max_length=MAX_RATERS,
        help_text="User names of people who judge in it.",
    )


class CampaignFilters(ArchivedFilters):
    q = CharFilter(
        field_name="name", lookup_expr="icontains", max_length=200, help_text="Words in the name."
    )
    questionnaire = ChoiceFilter(choices=[(name, name) for name in QUESTIONNAIRES])

    class Meta:
        model = Campaign
        fields = ["state"]


class Campaigns(ListModelMixin, RetrieveModelMixin, Resource[Campaign]):
    """Campaigns with their settings and progress."""

    queryset = Campaign.objects.none()
    lookup_field = "slug"
    serializer_class = CampaignSerializer
    filterset_class = CampaignFilters

    def get_queryset(self) -> Any:
        led = Campaign.objects.led_by(self.user)
        return led.select_related("created_by", "copied_from", "follows").prefetch_related("runs")

    def get_serializer_class(self) -> Any:
        return CampaignSerializer if self.action == "list" else CampaignDetailSerializer

    @extend_schema(request=NewCampaignSerializer, responses={201: CampaignDetailSerializer})
    def create(self, request: Request) -> Response:
        """Make a draft over runs, or over a dataset without a run.

        No rater sees it before `start`.
        """
        given = NewCampaignSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        kind = load_questionnaire(wanted.pop("questionnaire"))
        default = Campaign.Side.BOTH if Campaign.Side.BOTH in kind.sides else kind.sides[0]
        sides = {kind.name: wanted.pop("sides", default)}
        wanted.setdefault("options", kind.default_options)
        try:
            wanted["runs"] = self._runs(wanted.pop("runs", []), wanted.pop("dataset", ""))
            raters = self._people(wanted.pop("raters", []))
            (made,) = make_campaigns(
                questionnaires=[kind.name],
                sides=sides,
                raters=raters,
                created_by=self.user,
                **check_settings([kind], wanted, sides=sides),
            )
        except BadConfig as refusal:
            raise config_error(refusal) from None
        return Response(self.get_serializer(made).data, status=status.HTTP_201_CREATED)

    def destroy(self, request: Request, slug: str) -> Response:
        """Delete a draft.

        Campaigns that have begun are deleted on their page.
        """
        campaign = self.get_object()
        self._changed(campaign, lifecycle.discard_draft)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=CampaignDetailSerializer)
    def start(self, request: Request, slug: str) -> Response:
        """Start a draft.

        Draws its passages, freezes what raters see, and opens the first phase.
        """
        return self._answer(self.get_object(), lifecycle.begin)

    @extend_schema(request=None, responses=CampaignDetailSerializer)
    def begin_production(self, request: Request, slug: str) -> Response:
        """Start production after the pilot."""
        return self._answer(self.get_object(), lifecycle.begin_production)

    @extend_schema(request=None, responses=CampaignDetailSerializer)
    def close(self, request: Request, slug: str) -> Response:
        """Stop accepting answers; saved ones stay."""
        return self._answer(self.get_object(), lifecycle.close_campaign)

    @extend_schema(request=None, responses=CampaignDetailSerializer)
    def reopen(self, request: Request, slug: str) -> Response:
        """Reopen the phase in which it was closed."""
        return self._answer(self.get_object(), lifecycle.reopen_campaign)

    def _runs(self, keys: list[int], dataset: str) -> list[Run]:
        runs = list(runs_to_judge(self.user).filter(pk__in=keys))
        if gone := {*keys} - {run.pk for run in runs}:
            raise BadConfig(
                f"Run {min(gone)} is gone, or has nothing revised: choose others.", field="runs"
            )
        if dataset:
            runs.append(self._unrevised_run(dataset))
        if not runs:
            raise BadConfig("Choose at least one run.", field="runs")
        return runs

    def _unrevised_run(self, slug: str) -> Run:
        dataset = Dataset.objects.visible_to(self.user).filter(slug=slug).first()
        if dataset is None:
            raise BadConfig("There is no such dataset.", field="dataset")
        try:
            return get_unrevised_run(dataset, created_by=self.user)
        except RunRefused as refusal:
            raise Conflict(str(refusal)) from None

    def _people(self, names: list[str]) -> list[User]:
        people = list(people_to_add(self.user).filter(username__in=names))
        if unknown := sorted({*names} - {person.username for person in people}):
            raise BadConfig(
                f"Nobody with an open account is called {', '.join(unknown)}.", field="raters"
            )
        return people

    def _changed(self, campaign: Campaign, change: Callable[[Campaign], None]) -> None:
        try:
            change(campaign)
        except (lifecycle.AlreadyBegun, NothingToJudge) as refusal:
            raise Conflict(str(refusal)) from None

    def _answer(self, campaign: Campaign, change: Callable[[Campaign], None]) -> Response:
        self._changed(campaign, change)
        campaign.refresh_from_db()
        return Response(self.get_serializer(campaign).data)


class OfCampaign(Resource[Any]):
    @property
    def campaign(self) -> Campaign:
        """Return the campaign of the address; 404 unless the user leads it."""
        return get_object_or_404(Campaign.objects.led_by(self.user), slug=self.kwargs["slug"])
