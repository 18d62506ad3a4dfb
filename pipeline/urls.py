"""The pipeline pages."""

from django.urls import path

from pipeline.views import (
    comparison,
    corpora,
    datasets,
    model_cards,
    prompts,
    revisions,
    runs,
    uploads,
)

app_name = "pipeline"
urlpatterns = [
    path("datasets/", datasets.dataset_list, name="datasets"),
    path("datasets/new/", datasets.add_passages, name="new-dataset"),
    path("datasets/<slug:slug>/", datasets.dataset_detail, name="dataset"),
    path("datasets/<slug:slug>/add/", datasets.add_passages, name="add-passages"),
    path(
        "datasets/<slug:slug>/passages/<int:passage_id>/", datasets.passage_detail, name="passage"
    ),
    path("corpora/", corpora.corpus_list, name="corpora"),
    path("corpora/new/", corpora.add_documents, name="new-corpus"),
    path("corpora/<slug:slug>/", corpora.corpus_detail, name="corpus"),
    path("corpora/<slug:slug>/status/", corpora.corpus_status, name="corpus-status"),
    path("corpora/<slug:slug>/add/", corpora.add_documents, name="add-documents"),
    path("corpora/<slug:slug>/index/", corpora.index_corpus, name="index-corpus"),
    path(
        "corpora/<slug:slug>/documents/<int:document_id>/",
        corpora.document_detail,
        name="document",
    ),
    path("uploads/<int:upload_id>/", uploads.upload_detail, name="upload"),
    path("uploads/<int:upload_id>/status/", uploads.upload_status, name="upload-status"),
    path("uploads/<int:upload_id>/name/", uploads.name_upload, name="name-upload"),
    path("uploads/<int:upload_id>/import/", uploads.import_upload, name="import-upload"),
    path("uploads/<int:upload_id>/discard/", uploads.discard_upload, name="discard-upload"),
    path("uploads/<int:upload_id>/errors/", uploads.upload_errors, name="upload-errors"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/new/", runs.new_run, name="new-run"),
    path("runs/<int:run_id>/", runs.run_detail, name="run"),
    path("runs/<int:run_id>/status/", runs.run_status, name="run-status"),
    path("runs/<int:run_id>/pause/", runs.pause_run, name="pause-run"),
    path("runs/<int:run_id>/resume/", runs.resume_run, name="resume-run"),
    path("runs/<int:run_id>/cancel/", runs.cancel_run, name="cancel-run"),
    path("runs/<int:run_id>/retry/", runs.retry_run, name="retry-run"),
    path("runs/<int:run_id>/revisions/", revisions.run_revisions, name="run-revisions"),
    path("compare/", comparison.compare, name="compare"),
    path("revisions/<int:revision_id>/", revisions.revision_detail, name="revision"),
    path(
        "revisions/<int:revision_id>/revision.json", revisions.revision_json, name="revision-json"
    ),
    path("prompts/", prompts.prompt_list, name="prompts"),
    path("prompts/<slug:name>/", prompts.prompt_detail, name="prompt"),
    path("models/<slug:name>/", model_cards.model_detail, name="model"),
]
