from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import APIException, NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns import OfCampaign
from annotation.campaigns.progress import phases_of
from annotation.exporting import (
    FORMATS,
    Export,
    UnknownFormat,
    UnsuitableFormat,
    formats_for,
    load_format,
)
from annotation.exporting.export import record_export
from annotation.exporting.package import REVISIONS, contents_of, package_chunks
from annotation.items.run_groups import with_runs
from annotation.models import Campaign, Item
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import campaign_result
from annotation.results.by_questionnaire import campaign_figures
from annotation.results.cached_figures import RETRY_SECONDS, FigureCache
from annotation.results.labels import RESOLUTIONS, SETTLED
from annotation.views.campaign_head import campaigns_to_lead
from annotation.views.results import compare_with_automatic, phase_context
from pipeline.api.collections import EstimateSerializer, config_error
from pipeline.data.splits import Part
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts import audit
from rarrweb.web.streaming import HashedStream, stream_download

PHASES = ("all", *Item.Phase.values)


class SideSerializer(serializers.Serializer[Any]):
    """Raters' results about one side of the passages."""

    side = serializers.CharField()
    attribution = EstimateSerializer(allow_null=True, help_text="Attr_AIS.")
    auto = EstimateSerializer(allow_null=True, help_text="Attr_auto of the same passages.")
    sentences = EstimateSerializer(
        source="attributable_share",
        allow_null=True,
        help_text="The share of sentences that most of their raters call attributable.",
    )
    attributable = serializers.IntegerField()
    settled = serializers.IntegerField(source="labelled")
    tied = serializers.IntegerField()
    adjudicated = serializers.IntegerField()
    yes = serializers.IntegerField()
    no = serializers.IntegerField()


class GroupSerializer(serializers.Serializer[Any]):
    """Some of the runs."""

    kind = serializers.CharField(source="group.kind")
    label = serializers.CharField(source="group.label")  # type: ignore[assignment]  # a field's own


class AttributionGroupSerializer(GroupSerializer):
    """Results of some of the runs."""

    sides = SideSerializer(many=True)
    change = EstimateSerializer(allow_null=True)


class AttributionSerializer(serializers.Serializer[Any]):
    """Results of a questionnaire about attribution."""

    sides = SideSerializer(source="whole.sides", many=True)
    change = EstimateSerializer(
        source="whole.change",
        allow_null=True,
        help_text="After minus before, over passages judged on both sides.",
    )
    is_weighted = serializers.BooleanField()
    is_repeated = serializers.BooleanField(source="is_clustered")
    groups = AttributionGroupSerializer(many=True)


class FigureGroupSerializer(GroupSerializer):
    """A mean of some of the runs."""

    estimate = EstimateSerializer(allow_null=True)


class FigureSerializer(serializers.Serializer[Any]):
    """A mean over items."""

    label = serializers.CharField()  # type: ignore[assignment]  # a field's own
    meaning = serializers.CharField()
    estimate = EstimateSerializer(allow_null=True)
    is_share = serializers.BooleanField()
    groups = FigureGroupSerializer(many=True)


class DecisionsSerializer(serializers.Serializer[Any]):
    """Human against automatic decisions; the class to detect is no."""

    name = serializers.CharField()
    meaning = serializers.CharField()
    both_yes = serializers.IntegerField(source="validity.both_yes")
    only_people = serializers.IntegerField(source="validity.only_people")
    only_automatic = serializers.IntegerField(source="validity.only_automatic")
    both_no = serializers.IntegerField(source="validity.both_no")
    accuracy = EstimateSerializer(source="validity.accuracy", allow_null=True)
    kappa = EstimateSerializer(source="validity.kappa", allow_null=True, help_text="Cohen's.")
    negative_recall = EstimateSerializer(
        source="validity.negative_recall", allow_null=True, help_text="Recall."
    )
    negative_precision = EstimateSerializer(
        source="validity.negative_precision", allow_null=True, help_text="Precision."
    )


class CorrelatedSerializer(serializers.Serializer[Any]):
    """A figure by raters and automatic."""

    name = serializers.CharField()
    n = serializers.IntegerField(help_text="Answers.")
    people = EstimateSerializer(allow_null=True)
    automatic = EstimateSerializer(allow_null=True)
    pearson = EstimateSerializer(allow_null=True)
    spearman = EstimateSerializer(allow_null=True)


class HumanVsAutomaticSerializer(serializers.Serializer[Any]):
    """Human against automatic decisions about citations."""

    decisions = DecisionsSerializer(many=True)
    figures = CorrelatedSerializer(many=True)
    unmatched = serializers.IntegerField(help_text="Judged statements scored in other units.")
    tied = serializers.IntegerField(help_text="Statements and citations that raters tied about.")


class ResultsOfCampaignSerializer(serializers.Serializer[Any]):
    """A campaign's results: `attribution`, or the `figures` of another questionnaire."""

    questionnaire = serializers.CharField()
    phase = serializers.CharField(
        allow_blank=True, help_text="Whose answers are counted; empty for all phases together."
    )
    wanted = serializers.IntegerField()
    submitted = serializers.IntegerField()
    attribution = AttributionSerializer(allow_null=True)
    figures = FigureSerializer(many=True)
    automatic = HumanVsAutomaticSerializer(
        allow_null=True,
        help_text="Of questionnaires about citations, once an answer that is scored is judged.",
    )


class MissingFigures(APIException):
    """Figures of a large campaign are missing, or others are being computed."""

    status_code = 503
    default_code = "missing_figures"
    wait = RETRY_SECONDS  # for the header Retry-After


class CampaignResults(OfCampaign):
    parameters = {"results": ("phase",)}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "phase", enum=PHASES, description="Without it, the phase that raters are in."
            )
        ],
        responses=ResultsOfCampaignSerializer,
    )
    def results(self, request: Request, slug: str) -> Response:
        """Return the results so far.

        Each has its n and its 95 % interval; nothing to score is null. Those of large campaigns are
        computed one at a time: 503 with `Retry-After` while others are.
        """
        requested = request.query_params.get("phase")
        if requested not in {None, *PHASES}:
            raise ValidationError({"phase": f"Write one of {', '.join(PHASES)}."})
        led = campaigns_to_lead(request)  # type: ignore[arg-type]  # it looks at the user alone
        campaign: Campaign = get_object_or_404(led, slug=slug)
        cache = FigureCache()
        progress = phase_context(campaign, phases_of([campaign]).get(campaign.pk, []), requested)
        phase = progress["phase"]
        attribution, means = None, None
        if questionnaire_of(campaign).figures:
            means = cache.get(campaign_figures, campaign, phase)
        else:
            attribution = cache.get(campaign_result, campaign, phase)
        automatic = cache.get(compare_with_automatic, campaign, phase)
        if cache.is_missing:
            raise MissingFigures(cache.problem)
        audit.record("exported", campaign, what="results")
        return Response(
            ResultsOfCampaignSerializer(
                {
                    **progress,
                    "questionnaire": campaign.questionnaire,
                    "attribution": attribution,
                    "figures": means or [],
                    "automatic": automatic,
                }
            ).data
        )


LABELS = OpenApiParameter(
    "labels",
    enum=list(RESOLUTIONS),
    default=SETTLED,
    description="How several raters' answers become one label.",
)
PACKAGE = [
    OpenApiParameter("formats", enum=[*FORMATS, REVISIONS], many=True, explode=False),
    LABELS,
    OpenApiParameter("dev", float, description="The part `dev`, in percent."),
    OpenApiParameter("licence"),
    OpenApiParameter("language"),
]


class FormatSerializer(serializers.Serializer[Any]):
    """A format that can hold the campaign's answers."""

    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField()
    file_type = serializers.CharField()
    content_type = serializers.CharField()


class FormatsSerializer(serializers.Serializer[Any]):
    formats = FormatSerializer(many=True)


class PackageSerializer(serializers.Serializer[Any]):
    """The contents of a package, as query parameters."""

    formats = serializers.CharField(required=False, max_length=500)
    labels = serializers.ChoiceField(list(RESOLUTIONS), default=SETTLED)
    dev = serializers.FloatField(required=False, min_value=0.1, max_value=99.9)
    licence = serializers.CharField(max_length=200, default="", allow_blank=True)
    language = serializers.CharField(max_length=100, default="", allow_blank=True)


class Exports(OfCampaign):
    parameters = {
        "download": ("labels",),
        "manifest": ("labels",),
        "package": tuple(each.name for each in PACKAGE),
    }

    @extend_schema(operation_id="campaigns_exports_list", responses=FormatsSerializer)
    def formats(self, request: Request, slug: str) -> Response:
        """List the formats for this campaign."""
        return Response(FormatsSerializer({"formats": formats_for(self.campaign)}).data)

    @extend_schema(
        parameters=[LABELS],
        responses={
            (200, "application/jsonl"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
        },
    )
    def download(self, request: Request, slug: str, format_name: str) -> HttpResponseBase:
        """Stream the file."""
        made = self._export(format_name)
        record_export(made.campaign, what=made.format.name)
        return stream_download(
            made.chunks(), file_name=made.file_name, content_type=made.format.content_type
        )

    @extend_schema(parameters=[LABELS], responses=OpenApiTypes.OBJECT)
    def manifest(self, request: Request, slug: str, format_name: str) -> Response:
        """Describe the file: counts, checksums, configuration, versions."""
        made = self._export(format_name)
        for _ in made.chunks():  # the manifest has the checksum and the counts of the whole file
            pass
        return Response(made.manifest())

    @extend_schema(parameters=PACKAGE, responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def package(self, request: Request, slug: str) -> HttpResponseBase:
        """Stream a dataset package as a ZIP, by default with all formats that are not empty."""
        campaign = self._campaign()
        given = PackageSerializer(data=request.query_params)
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        percent, names = wanted.pop("dev", None), wanted.pop("formats", "")
        try:
            contents = contents_of(
                campaign,
                formats=filter(None, names.split(",")),
                parts=Part.both(dev=percent / 100) if percent else (),
                **wanted,
            )
        except BadConfig as refusal:
            raise config_error(refusal) from None
        record_export(campaign, what="package")
        return stream_download(
            HashedStream().pieces(package_chunks(campaign, contents)),
            file_name=f"{campaign.slug}.zip",
            content_type="application/zip",
        )

    def _campaign(self) -> Campaign:
        led = with_runs(Campaign.objects.led_by(self.user))
        return get_object_or_404(led, slug=self.kwargs["slug"])

    def _export(self, name: str) -> Export:
        labels = self.request.query_params.get("labels", SETTLED)
        if labels not in RESOLUTIONS:
            raise ValidationError({"labels": f"Write one of {', '.join(RESOLUTIONS)}."})
        campaign = self._campaign()
        try:
            chosen = load_format(name)
        except UnknownFormat as error:
            raise NotFound(str(error)) from None
        try:
            return Export(campaign=campaign, format=chosen, labels=labels)
        except UnsuitableFormat as error:
            raise ValidationError(str(error)) from None
