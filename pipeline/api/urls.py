"""The addresses of the machine's resources."""

from django.urls import path

from pipeline.api.collections import Uploads
from pipeline.api.datasets import Corpora, Datasets, documents, passages
from pipeline.api.runs import Revisions, RunRevisions, Runs
from rarrweb.api.resources import Actions

LIST_AND_MAKE: Actions = {"get": "list", "post": "create"}
READ_AND_DELETE: Actions = {"get": "retrieve", "delete": "destroy"}

app_name = "pipeline-api"
urlpatterns = [
    path("datasets/", Datasets.as_view(LIST_AND_MAKE), name="datasets"),
    path("datasets/<slug:slug>/", Datasets.as_view(READ_AND_DELETE), name="dataset"),
    path("datasets/<slug:slug>/passages/", passages, name="passages"),
    path(
        "datasets/<slug:slug>/download/", Datasets.as_view({"get": "download"}), name="dataset-file"
    ),
    path("corpora/", Corpora.as_view(LIST_AND_MAKE), name="corpora"),
    path("corpora/<slug:slug>/", Corpora.as_view(READ_AND_DELETE), name="corpus"),
    path("corpora/<slug:slug>/documents/", documents, name="documents"),
    path("corpora/<slug:slug>/index/", Corpora.as_view({"post": "index"}), name="index-corpus"),
    path("runs/", Runs.as_view(LIST_AND_MAKE), name="runs"),
    path("runs/<int:pk>/", Runs.as_view(READ_AND_DELETE), name="run"),
    *(
        path(f"runs/<int:pk>/{action}/", Runs.as_view({"post": action}), name=f"{action}-run")
        for action in ("pause", "resume", "cancel", "retry")
    ),
    path("runs/<int:pk>/download/", Runs.as_view({"get": "download"}), name="run-file"),
    path("runs/<int:run_id>/revisions/", RunRevisions.as_view({"get": "list"}), name="revisions"),
    path("revisions/<int:pk>/", Revisions.as_view({"get": "retrieve"}), name="revision"),
    path("uploads/", Uploads.as_view({"get": "list"}), name="uploads"),
    path("uploads/<int:pk>/", Uploads.as_view(READ_AND_DELETE), name="upload"),
    path(
        "uploads/<int:pk>/import/", Uploads.as_view({"post": "import_rows"}), name="import-upload"
    ),
    path("uploads/<int:pk>/errors/", Uploads.as_view({"get": "errors"}), name="upload-errors"),
    path("uploads/<int:pk>/retry/", Uploads.as_view({"post": "retry"}), name="retry-upload"),
]
