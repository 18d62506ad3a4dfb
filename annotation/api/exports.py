from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns import OfCampaign
from annotation.exporting import (
    FORMATS,
    Export,
    UnknownFormat,
    UnsuitableFormat,
    formats_for,
    load_format,
)
from annotation.exporting.package import (
    REVISIONS,
    contents_of,
    first_formats,
    package_chunks,
    package_name,
)
from annotation.items.run_groups import with_runs
from annotation.models import Campaign
from annotation.results.labels import RESOLUTIONS, SETTLED
from pipeline.api.fields import config_error
from pipeline.data.splits import Part
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts import audit
from rarrweb.web.streaming import stream_download

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
        audit.record("exported", made.campaign, what=made.format.name)
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
        """Stream a dataset package as a ZIP.

        Defaults are those of the page.
        """
        campaign = self._campaign()
        given = PackageSerializer(data=request.query_params)
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        percent, names = wanted.pop("dev", None), wanted.pop("formats", None)
        try:
            contents = contents_of(
                campaign,
                formats=first_formats(campaign) if names is None else names.split(","),
                parts=Part.both(dev=percent / 100) if percent else (),
                **wanted,
            )
        except BadConfig as refusal:
            raise config_error(refusal) from None
        audit.record("exported", campaign, what="package")
        return stream_download(
            package_chunks(campaign, contents),
            file_name=package_name(campaign),
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
