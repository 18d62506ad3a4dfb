"""Addresses of annotation."""

from collections.abc import Callable

from django.http import HttpResponseBase
from django.urls import URLPattern, include, path
from django.views.decorators.cache import never_cache

from annotation.api import views as api
from annotation.views import (
    adjudication,
    campaign_life,
    campaign_tabs,
    charts,
    checks,
    consent,
    crowd,
    entry,
    exports,
    guidelines,
    joined_results,
    members,
    new_campaign,
    questions,
    results,
    tasks,
    training,
    work,
)


def page(route: str, view: Callable[..., HttpResponseBase], *, name: str) -> URLPattern:
    """Return the pattern of a page that is never cached."""
    return path(route, never_cache(view), name=name)


app_name = "annotation"
of_campaign = [
    page("", campaign_tabs.overview, name="campaign"),
    page("items/", campaign_tabs.items, name="items"),
    page("raters/", campaign_tabs.raters, name="raters"),
    page("results/", results.results, name="results"),
    page("results/automatic.csv", results.human_vs_automatic_file, name="human-vs-automatic"),
    page("results/figures/", charts.charts, name="charts"),
    page("results/figures/<slug:name>.<slug:form>", charts.chart, name="chart"),
    page("results/statistics/", charts.statistics, name="statistics"),
    page("results/statistics/<slug:name>.<slug:form>", charts.statistic, name="statistic"),
    page("settings/", campaign_tabs.settings, name="campaign-settings"),
    page("delete/", campaign_life.delete, name="delete-campaign"),
    page("guidelines/", guidelines.read, name="guidelines"),
    page("guidelines/edit/", guidelines.edit, name="edit-guidelines"),
    page("guidelines/preview/", guidelines.preview, name="preview-guidelines"),
    page("guidelines/history/", guidelines.history, name="guidelines-history"),
    page("guidelines/<int:number>/", guidelines.version, name="guidelines-version"),
    page("questions/", questions.questions, name="questions"),
    page("comments/", questions.comments, name="comments"),
    page("edit/", campaign_life.edit_draft, name="edit-draft"),
    page("preview/", campaign_life.preview, name="preview"),
    page("move-on/", campaign_life.move_on, name="move-on"),
    page("copy/", campaign_life.copy_campaign, name="copy-campaign"),
    page("discard/", campaign_life.discard_draft, name="discard-draft"),
    page("close/", campaign_life.close_campaign, name="close-campaign"),
    page("reopen/", campaign_life.reopen_campaign, name="reopen-campaign"),
    page("invite/", members.invite_rater, name="invite-rater"),
    page(
        "invitations/<int:invitation_id>/revoke/",
        members.revoke_invitation,
        name="revoke-invitation",
    ),
    page("members/", members.add_raters, name="add-raters"),
    page("members/add/", members.add_members, name="add-members"),
    page("members/me/", members.judge_myself, name="judge-myself"),
    page("members/<int:membership_id>/remove/", members.remove_member, name="remove-member"),
    page("work/", work.work, name="work"),
    page("work/<int:assignment_id>/release/", work.release, name="release"),
    page("work/<int:assignment_id>/send-back/", work.send_back, name="send-back"),
    page("work/<int:assignment_id>/undo-send-back/", work.undo_send_back, name="undo-send-back"),
    page("reliability/", results.reliability, name="reliability"),
    page("reliability/summary/", results.summary, name="reliability-summary"),
    page("differences/", results.differences, name="differences"),
    page("export/", exports.export, name="export"),
    page("export/package/", exports.package, name="package"),
    page("consent/", consent.consent_page, name="consent"),
    page("consent/withdraw/", consent.withdraw, name="withdraw-consent"),
    page("consent/edit/", consent.edit_consent, name="edit-consent"),
    page("invitations/", members.invitation_list, name="invitations"),
    page("invitations/list/", members.invite_list, name="invite-list"),
    page(
        "invitations/<int:invitation_id>/renew/",
        members.renew_invitation,
        name="renew-invitation",
    ),
    page("crowd/", crowd.crowd, name="crowd"),
    page("crowd/participants/", crowd.participants_csv, name="participants"),
    page("crowd/forget/", crowd.forget_platform_ids, name="forget-ids"),
    page("crowd/address/", crowd.new_entry_address, name="new-entry-address"),
    page("crowd/<int:participant_id>/again/", crowd.readmit, name="readmit"),
    page("checks/", checks.overview, name="checks"),
    page("checks/settings/", checks.save_settings, name="check-settings"),
    page("checks/items/<int:item_id>/", checks.reference_answers, name="reference-answers"),
    page("checks/items/<int:item_id>/use/", checks.use_item, name="use-item"),
    page(
        "checks/items/<int:item_id>/withdraw/",
        checks.withdraw_item,
        name="withdraw-item",
    ),
    page("checks/raters/<int:user_id>/resume/", checks.resume_rater, name="resume-rater"),
    page("checks/raters/<int:user_id>/again/", checks.another_attempt, name="another-attempt"),
    page("training/", training.training_page, name="training"),
    page("training/again/", training.try_again, name="try-again"),
]
urlpatterns = [
    # Raters' addresses first: they are tried in this order.
    page("tasks/next/", tasks.next_task, name="next-task"),
    page("tasks/<int:assignment_id>/", tasks.task, name="task"),
    page("tasks/<int:assignment_id>/submit/", tasks.submit_task, name="submit-task"),
    path("api/tasks/<int:assignment_id>/judgments/", api.save_judgments, name="save-judgments"),
    path("api/tasks/<int:assignment_id>/visit/", api.save_visit, name="save-visit"),
    page("campaigns/", campaign_life.campaign_list, name="campaigns"),
    page("results/tradeoff.<slug:form>", joined_results.joined_results, name="joined-chart"),
    page("campaigns/new/preview/", new_campaign.campaign_preview, name="campaign-preview"),
    page("campaigns/new/people/", members.find_people, name="find-people"),
    page("campaigns/join/<str:token>/", members.join, name="join"),
    page("questions/<int:question_id>/", questions.question, name="question"),
    page("questions/<int:question_id>/answer/", questions.answer, name="answer-question"),
    page("tasks/<int:assignment_id>/questions/", questions.task_questions, name="task-questions"),
    page("tasks/<int:assignment_id>/ask/", questions.ask, name="ask"),
    page("enter/<str:key>/", entry.enter, name="enter"),
    page("study/", entry.study, name="study"),
    page("study/stop/", entry.stop, name="stop-study"),
    page("tasks/<int:assignment_id>/feedback/", training.feedback, name="feedback"),
    page("adjudicate/", adjudication.queue, name="adjudications"),
    page("adjudicate/majority/<slug:slug>/", adjudication.accept_majority, name="accept-majority"),
    page("adjudicate/<int:item_id>/", adjudication.adjudicate, name="adjudicate"),
    page("tasks/", tasks.my_items, name="my-items"),
    page("tasks/<int:assignment_id>/skip/", tasks.skip, name="skip-task"),
    page("tasks/<int:assignment_id>/undo-skip/", tasks.undo_skip, name="undo-skip"),
    path("campaigns/<slug:slug>/", include(of_campaign)),
]
