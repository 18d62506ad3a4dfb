"""The pages of training and gold items, for those who lead a campaign and for its raters."""

from django.urls import path

from annotation.views import checks, right_answers, training

urlpatterns = [
    path("campaigns/<slug:slug>/checks/", checks.overview, name="checks"),
    path("campaigns/<slug:slug>/checks/settings/", checks.save_settings, name="check-settings"),
    path("campaigns/<slug:slug>/checks/upload/", right_answers.upload, name="upload-right-answers"),
    path(
        "campaigns/<slug:slug>/checks/items/<int:item_id>/",
        right_answers.right_answers,
        name="right-answers",
    ),
    path(
        "campaigns/<slug:slug>/checks/items/<int:item_id>/use/",
        right_answers.use_item,
        name="use-item",
    ),
    path(
        "campaigns/<slug:slug>/checks/items/<int:item_id>/withdraw/",
        right_answers.withdraw_item,
        name="withdraw-item",
    ),
    path(
        "campaigns/<slug:slug>/checks/raters/<int:user_id>/let-on/",
        checks.let_on,
        name="let-rater-on",
    ),
    path(
        "campaigns/<slug:slug>/checks/raters/<int:user_id>/again/",
        checks.another_try,
        name="give-another-try",
    ),
    path("campaigns/<slug:slug>/training/", training.training_page, name="training"),
    path("campaigns/<slug:slug>/training/again/", training.try_again, name="try-again"),
    path("tasks/<int:assignment_id>/feedback/", training.feedback, name="feedback"),
]
