"""Dataset packages: asked for, watched, downloaded."""

from typing import Any

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns import OfCampaign
from annotation.exporting import FORMATS, jobs
from annotation.exporting.forms import PackageForm
from annotation.exporting.package import REVISIONS
from annotation.models import ExportJob
from annotation.results.labels import RESOLUTIONS
from annotation.views.export_jobs import package_file
from pipeline.api.fields import CreatedBySerializer
from rarrweb.api.errors import Conflict, form_errors
from rarrweb.api.resources import Resource


class PackageSerializer(CreatedBySerializer):
    """One ZIP with data, card, guidelines, configuration and checksums."""

    campaign = serializers.CharField(source="campaign.slug", read_only=True)
    formats = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = ExportJob
        fields = [
            "id", "campaign", "formats", "labels", "dev", "licence", "language", "state",
            "items_done", "items_total", "size", "sha256", "failure", "created_by", "created_at",
            "finished_at",
        ]  # fmt: skip
        read_only_fields = fields


class NewPackageSerializer(serializers.Serializer[Any]):
    """What is in it; what is not given is as on the page."""

    formats = serializers.ListField(
        child=serializers.ChoiceField(choices=[*FORMATS, REVISIONS]),
        required=False, min_length=1, max_length=len(FORMATS) + 1,
    )  # fmt: skip
    labels = serializers.ChoiceField(choices=list(RESOLUTIONS), required=False)
    dev = serializers.FloatField(
        min_value=0.1, max_value=99.9, required=False, help_text="The part `dev`, in percent."
    )
    licence = serializers.CharField(max_length=200, required=False, allow_blank=True)
    language = serializers.CharField(max_length=100, required=False, allow_blank=True)


class CampaignPackages(ListModelMixin, OfCampaign):
    """The dataset packages of a campaign."""

    queryset = ExportJob.objects.none()
    serializer_class = PackageSerializer

    def get_queryset(self) -> Any:
        rows = ExportJob.objects.filter(campaign=self.campaign)
        return rows.select_related("campaign", "created_by")

    @extend_schema(request=NewPackageSerializer, responses={202: PackageSerializer})
    def create(self, request: Request, slug: str) -> Response:
        """Have a worker write a package.

        Look at it again until its `state` is `done`.
        """
        given = NewPackageSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        campaign = self.campaign
        begins = PackageForm(campaign=campaign).fields
        data = {name: field.initial for name, field in begins.items()} | given.validated_data
        form = PackageForm(data, campaign=campaign)
        if not form.is_valid():
            raise form_errors(form)
        job = jobs.start_export(campaign, by=self.user, **form.cleaned_data)
        return Response(self.get_serializer(job).data, status=status.HTTP_202_ACCEPTED)


class Packages(RetrieveModelMixin, Resource[ExportJob]):
    """Single packages."""

    queryset = ExportJob.objects.none()
    serializer_class = PackageSerializer

    def get_queryset(self) -> Any:
        return ExportJob.objects.led_by(self.user).select_related("campaign", "created_by")

    def destroy(self, request: Request, pk: int) -> Response:
        """Delete the package with its file.

        A worker that is at it stops.
        """
        jobs.delete_export(self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=PackageSerializer)
    def cancel(self, request: Request, pk: int) -> Response:
        """Give up a package that is not written yet."""
        job = self.get_object()
        if not jobs.cancel_export(job):
            raise Conflict("The package was at its end already.")
        job.refresh_from_db()
        return Response(self.get_serializer(job).data)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def download(self, request: Request, pk: int) -> FileResponse:
        """The file, for some weeks after it was written."""
        return package_file(self.get_object())
