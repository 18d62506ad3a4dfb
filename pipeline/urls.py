"""The pipeline pages."""

from django.urls import path

from pipeline.views import runs

app_name = "pipeline"
urlpatterns = [
    path("runs/", runs.run_list, name="runs"),
    path("runs/new/", runs.new_run, name="new-run"),
    path("runs/<int:run_id>/", runs.run_detail, name="run"),
    path("runs/<int:run_id>/status/", runs.run_status, name="run-status"),
    path("runs/<int:run_id>/pause/", runs.pause_run, name="pause-run"),
    path("runs/<int:run_id>/resume/", runs.resume_run, name="resume-run"),
    path("runs/<int:run_id>/cancel/", runs.cancel_run, name="cancel-run"),
    path("runs/<int:run_id>/retry/", runs.retry_run, name="retry-run"),
]
