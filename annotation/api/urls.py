from django.urls import path

from annotation.api.campaigns import Campaigns
from annotation.api.items import Items, judgments
from annotation.api.results import CampaignResults, Exports

ACTIONS = {
    "start": "start",
    "begin-production": "begin_production",
    "close": "close",
    "reopen": "reopen",
}

app_name = "annotation-api"
urlpatterns = [
    path("campaigns/", Campaigns.as_view({"get": "list", "post": "create"}), name="campaigns"),
    path(
        "campaigns/<slug:slug>/",
        Campaigns.as_view({"get": "retrieve", "delete": "destroy"}),
        name="campaign",
    ),
    *(
        path(
            f"campaigns/<slug:slug>/{name}/",
            Campaigns.as_view({"post": action}),
            name=f"{name}-campaign",
        )
        for name, action in ACTIONS.items()
    ),
    path("campaigns/<slug:slug>/items/", Items.as_view({"get": "list"}), name="items"),
    path("campaigns/<slug:slug>/judgments/", judgments, name="judgments"),
    path(
        "campaigns/<slug:slug>/results/",
        CampaignResults.as_view({"get": "results"}),
        name="results",
    ),
    path("campaigns/<slug:slug>/exports/", Exports.as_view({"get": "formats"}), name="exports"),
    path(
        "campaigns/<slug:slug>/exports/<slug:format_name>/",
        Exports.as_view({"get": "download"}),
        name="export",
    ),
    path(
        "campaigns/<slug:slug>/exports/<slug:format_name>/manifest/",
        Exports.as_view({"get": "manifest"}),
        name="export-manifest",
    ),
    path("campaigns/<slug:slug>/package/", Exports.as_view({"get": "package"}), name="package"),
]
