from typing import Any

from django_filters import CharFilter, FilterSet, NumberFilter
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaigns import OfCampaign
from annotation.models import Item
from rarrweb.accounts import audit
from rarrweb.web.api_lists import Pages


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
            *("second_text", "second_sentences", "first_side"),
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
