"""The annotation pages."""

from django.urls import include, path

from annotation.api import views as api
from annotation.views import (
    adjudication,
    campaign_life,
    campaigns,
    exports,
    members,
    own_items,
    reliability,
    results,
    tasks,
    work,
)

app_name = "annotation"
urlpatterns = [
    path("campaigns/", campaigns.campaign_list, name="campaigns"),
    path("campaigns/new/", campaigns.new_campaign, name="new-campaign"),
    path("campaigns/new/outlook/", campaigns.campaign_outlook, name="campaign-outlook"),
    path("campaigns/join/<str:token>/", members.join, name="join"),
    path("campaigns/<slug:slug>/", campaigns.campaign_detail, name="campaign"),
    path("", include("annotation.talking_urls")),
    path("campaigns/<slug:slug>/edit/", campaign_life.edit_draft, name="edit-draft"),
    path("campaigns/<slug:slug>/preview/", campaign_life.preview, name="preview"),
    path("campaigns/<slug:slug>/move-on/", campaign_life.move_on, name="move-on"),
    path("campaigns/<slug:slug>/copy/", campaign_life.copy_campaign, name="copy-campaign"),
    path("campaigns/<slug:slug>/discard/", campaign_life.discard_draft, name="discard-draft"),
    path("campaigns/<slug:slug>/close/", campaigns.close_campaign, name="close-campaign"),
    path("campaigns/<slug:slug>/reopen/", campaigns.reopen_campaign, name="reopen-campaign"),
    path("campaigns/<slug:slug>/invite/", members.invite_rater, name="invite-rater"),
    path(
        "campaigns/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        members.revoke_invitation,
        name="revoke-invitation",
    ),
    path("campaigns/<slug:slug>/members/add/", members.add_member, name="add-member"),
    path("campaigns/<slug:slug>/members/me/", members.judge_myself, name="judge-myself"),
    path(
        "campaigns/<slug:slug>/members/<int:membership_id>/remove/",
        members.remove_member,
        name="remove-member",
    ),
    path("campaigns/<slug:slug>/work/", work.work, name="work"),
    path("campaigns/<slug:slug>/work/<int:assignment_id>/release/", work.release, name="release"),
    path(
        "campaigns/<slug:slug>/work/<int:assignment_id>/undo-release/",
        work.undo_release,
        name="undo-release",
    ),
    path(
        "campaigns/<slug:slug>/work/<int:assignment_id>/send-back/",
        work.send_back,
        name="send-back",
    ),
    path(
        "campaigns/<slug:slug>/work/<int:assignment_id>/undo-send-back/",
        work.undo_send_back,
        name="undo-send-back",
    ),
    path("campaigns/<slug:slug>/results/", results.results, name="results"),
    path("campaigns/<slug:slug>/reliability/", reliability.reliability, name="reliability"),
    path("campaigns/<slug:slug>/differences/", reliability.differences, name="differences"),
    path("campaigns/<slug:slug>/export/", exports.export, name="export"),
    path("", include("annotation.people_urls")),
    path("", include("annotation.check_urls")),
    path("adjudicate/", adjudication.queue, name="adjudications"),
    path("adjudicate/<int:item_id>/", adjudication.adjudicate, name="adjudicate"),
    path("tasks/", own_items.own_items, name="own-items"),
    path("tasks/<int:assignment_id>/skip/", own_items.skip, name="skip-task"),
    path(
        "tasks/<int:assignment_id>/take-back-skip/",
        own_items.take_back_skip,
        name="take-back-skip",
    ),
    path("tasks/next/", tasks.next_task, name="next-task"),
    path("tasks/<int:assignment_id>/", tasks.task, name="task"),
    path("tasks/<int:assignment_id>/submit/", tasks.submit_task, name="submit-task"),
    path("api/tasks/<int:assignment_id>/judgments/", api.save_judgments, name="save-judgments"),
    path("api/tasks/<int:assignment_id>/comment/", api.save_comment, name="save-comment"),
    path("api/tasks/<int:assignment_id>/visit/", api.save_visit, name="save-visit"),
]
