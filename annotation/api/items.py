from typing import Any

from django_filters import CharFilter, ChoiceFilter, FilterSet, NumberFilter
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns import OfCampaign
from annotation.exporting.context import pseudonym
from annotation.judging import imports
from annotation.judging.judgment_files import FIELDS, MAX_REPORTED
from annotation.models import Item, Judgment
from pipeline.api.collections import ImportSerializer, ReadingSerializer
from pipeline.importing.rows import UnreadableFile
from rarrweb.accounts import audit
from rarrweb.accounts.request_checks import allow_file_upload
from rarrweb.web.api_lists import OldestFirst, Pages, TrueOrFalse


class SpanSerializer(serializers.Serializer[Any]):
    """Offsets into the text."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()


class CitationSerializer(serializers.Serializer[Any]):
    """Indices of a sentence and the snippet that it cites, from 0."""

    sentence = serializers.IntegerField()
    evidence = serializers.IntegerField()


class ItemSerializer(serializers.ModelSerializer[Item]):
    """One thing to judge, frozen when the campaign started."""

    passage = serializers.CharField(
        source="passage.external_id", read_only=True, help_text="The passage's own id."
    )
    run = serializers.IntegerField(source="revision.run_id", read_only=True)
    sentences = SpanSerializer(many=True, read_only=True, help_text="What is judged one by one.")
    second_sentences = SpanSerializer(many=True, read_only=True)
    citations = CitationSerializer(many=True, read_only=True)
    evidence = serializers.ListField(child=serializers.DictField(), read_only=True)
    use = serializers.ChoiceField(
        choices=Item.Use.choices,
        allow_blank=True,
        read_only=True,
        help_text="Whether it trains or checks raters; empty for most items.",
    )

    class Meta:
        model = Item
        fields = [
            *("id", "position", "passage", "run", "revision", "side", "phase", "use", "inclusion"),
            *("wanted", "done", "context", "text", "sentences", "evidence", "citations"),
            *("second_text", "second_sentences", "first_side", "shared_with"),
        ]
        read_only_fields = fields


class ItemPages(Pages):
    ordering = "position"


class ItemFilters(FilterSet):
    run = NumberFilter(
        field_name="revision__run",
        min_value=0,
        max_digits=18,
        decimal_places=0,
        help_text="The run's id.",
    )
    passage = CharFilter(field_name="passage__external_id", help_text="The passage's own id.")

    class Meta:
        model = Item
        fields = ["side", "phase", "use"]


class Items(ListModelMixin, OfCampaign):
    """The items of a campaign, in its order."""

    queryset = Item.objects.none()
    serializer_class = ItemSerializer
    pagination_class = ItemPages
    filterset_class = ItemFilters

    def get_queryset(self) -> Any:
        rows = Item.objects.filter(campaign=self.campaign)
        return rows.select_related("passage", "revision").only(
            *(each.name for each in Item._meta.concrete_fields),
            "passage__external_id",
            "revision__run_id",
        )

    def list(self, request: Request, *args: Any, **values: Any) -> Response:
        audit.record("exported", self.campaign, what="items")
        return super().list(request, *args, **values)


class JudgmentSerializer(serializers.ModelSerializer[Judgment]):
    """One answer to one criterion about one target of an item."""

    item = serializers.IntegerField(source="assignment.item_id", read_only=True)
    rater = serializers.SerializerMethodField(
        help_text="A pseudonym: the same as in the campaign's files, another in the next campaign."
    )
    slot = serializers.IntegerField(
        source="assignment.slot",
        read_only=True,
        allow_null=True,
        help_text="Null for late work, which does not count.",
    )
    is_late = serializers.BooleanField(source="assignment.is_late", read_only=True)
    submitted_at = serializers.DateTimeField(source="assignment.submitted_at", read_only=True)

    class Meta:
        model = Judgment
        fields = [
            *("id", "item", "criterion", "target", "value", "text", "rater", "slot", "is_late"),
            *("guidelines_version", "submitted_at", "updated_at"),
        ]
        read_only_fields = fields

    def get_rater(self, judgment: Judgment) -> str:
        return pseudonym(self.context["campaign"], judgment.assignment.rater_id)


class JudgmentFilters(FilterSet):
    item = NumberFilter(
        field_name="assignment__item",
        min_value=0,
        max_digits=18,
        decimal_places=0,
        help_text="The item's id.",
    )
    phase = ChoiceFilter(field_name="assignment__item__phase", choices=Item.Phase.choices)
    is_late = TrueOrFalse(field_name="assignment__is_late")

    class Meta:
        model = Judgment
        fields = ["criterion"]


class JudgmentFileSerializer(ReadingSerializer, ImportSerializer):
    """A table of judgments from elsewhere, one answer a row."""

    file = serializers.FileField(max_length=255)
    use = serializers.ChoiceField(
        choices=Item.Use.choices,
        default="",
        allow_blank=True,
        help_text="For right answers of training or gold items in place of raters' judgments.",
    )
    columns = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        required=False,
        help_text=f"Field to column, for other names than {', '.join(FIELDS)}.",
    )


class ImportedJudgmentsSerializer(serializers.Serializer[Any]):
    """What was imported."""

    summary = serializers.CharField(source="__str__")
    incomplete = serializers.IntegerField(
        help_text="Times a rater lacks answers to an item, which is therefore not submitted."
    )
    unused = serializers.ListField(
        child=serializers.CharField(), help_text="Columns that are no field."
    )
    skipped = serializers.ListField(child=serializers.CharField(), source="errors")


class Judgments(ListModelMixin, OfCampaign):
    """Submitted answers, without training and gold."""

    queryset = Judgment.objects.none()
    serializer_class = JudgmentSerializer
    pagination_class = OldestFirst
    filterset_class = JudgmentFilters
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> Any:
        rows = Judgment.objects.in_campaign(self.campaign).filter(
            assignment__submitted_at__isnull=False, assignment__purpose="", value__isnull=False
        )
        return rows.select_related("assignment")

    def list(self, request: Request, *args: Any, **values: Any) -> Response:
        audit.record("exported", self.campaign, what="judgments")
        return super().list(request, *args, **values)

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "campaign": self.campaign}

    @extend_schema(
        request={"multipart/form-data": JudgmentFileSerializer},
        responses={201: ImportedJudgmentsSerializer},
    )
    def create(self, request: Request, slug: str) -> Response:
        """Import judgments of raters elsewhere: none if a row is wrong, unless `skip_invalid`.

        The same file twice adds nothing.
        """
        given = JudgmentFileSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        upload = wanted.pop("file")
        try:
            file = imports.read_upload(self.campaign, upload, by=self.user, **wanted)
        except UnreadableFile as error:
            raise ValidationError({"file": str(error)}) from None
        if file.errors and not (wanted["skip_invalid"] and file.has_valid_rows):
            raise ValidationError({"file": [str(each) for each in file.errors[:MAX_REPORTED]]})
        return Response(ImportedJudgmentsSerializer(file).data, status=status.HTTP_201_CREATED)


judgments = allow_file_upload(Judgments.as_view({"get": "list", "post": "create"}))
