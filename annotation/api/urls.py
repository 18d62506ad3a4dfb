"""The addresses of the resources of people's work."""

from django.urls import path

from annotation.api.campaigns import Campaigns
from annotation.api.exports import Exports
from annotation.api.items import Items
from annotation.api.judgments import Judgments
from annotation.api.results import Results

ACTIONS = {
    "start": "start",
    "begin-production": "begin_production",
    "close": "close",
    "reopen": "reopen",
}

app_name = "annotation-api"
urlpatterns = [
    path("", Campaigns.as_view({"get": "list", "post": "create"}), name="campaigns"),
    path(
        "<slug:slug>/",
        Campaigns.as_view({"get": "retrieve", "delete": "destroy"}),
        name="campaign",
    ),
    *(
        path(f"<slug:slug>/{name}/", Campaigns.as_view({"post": action}), name=f"{name}-campaign")
        for name, action in ACTIONS.items()
    ),
    path("<slug:slug>/items/", Items.as_view({"get": "list"}), name="items"),
    path("<slug:slug>/judgments/", Judgments.as_view({"get": "list"}), name="judgments"),
    path("<slug:slug>/results/", Results.as_view({"get": "results"}), name="results"),
    path("<slug:slug>/exports/", Exports.as_view({"get": "formats"}), name="exports"),
    path(
        "<slug:slug>/exports/<slug:format_name>/",
        Exports.as_view({"get": "download"}),
        name="export",
    ),
    path(
        "<slug:slug>/exports/<slug:format_name>/manifest/",
        Exports.as_view({"get": "manifest"}),
        name="export-manifest",
    ),
]
