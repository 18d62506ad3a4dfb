"""The addresses of instructions and questions: part of the annotation pages."""

from django.urls import path

from annotation.views import guidelines, questions

urlpatterns = [
    path("campaigns/<slug:slug>/guidelines/", guidelines.read, name="guidelines"),
    path("campaigns/<slug:slug>/guidelines/edit/", guidelines.edit, name="edit-guidelines"),
    path(
        "campaigns/<slug:slug>/guidelines/preview/", guidelines.preview, name="preview-guidelines"
    ),
    path(
        "campaigns/<slug:slug>/guidelines/history/", guidelines.history, name="guidelines-history"
    ),
    path(
        "campaigns/<slug:slug>/guidelines/<int:number>/",
        guidelines.version,
        name="guidelines-version",
    ),
    path(
        "campaigns/<slug:slug>/guidelines/<int:number>/read/",
        guidelines.confirm,
        name="confirm-guidelines",
    ),
    path("campaigns/<slug:slug>/questions/", questions.questions, name="questions"),
    path("campaigns/<slug:slug>/comments/", questions.comments, name="comments"),
    path("questions/<int:thread_id>/", questions.thread, name="thread"),
    path("questions/<int:thread_id>/reply/", questions.reply, name="reply-thread"),
    path("questions/<int:thread_id>/close/", questions.close, name="close-thread"),
    path("questions/<int:thread_id>/reopen/", questions.reopen, name="reopen-thread"),
    path("questions/<int:thread_id>/publish/", questions.publish, name="publish-thread"),
    path("questions/<int:thread_id>/hide/", questions.hide, name="hide-thread"),
    path(
        "questions/<int:thread_id>/messages/<int:message_id>/take-back/",
        questions.take_back,
        name="take-back-message",
    ),
    path("tasks/<int:assignment_id>/questions/", questions.beside_task, name="beside-task"),
    path("tasks/<int:assignment_id>/ask/", questions.ask, name="ask"),
]
