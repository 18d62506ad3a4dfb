"""Pages about who takes part: invitations, consent, people of a crowd platform."""

from django.urls import path

from annotation.views import consent, crowd, entry, invitations

urlpatterns = [
    path("campaigns/<slug:slug>/consent/", consent.consent_page, name="consent"),
    path("campaigns/<slug:slug>/consent/withdraw/", consent.withdraw, name="withdraw-consent"),
    path("campaigns/<slug:slug>/consent/edit/", consent.edit_consent, name="edit-consent"),
    path("campaigns/<slug:slug>/invitations/", invitations.invitations, name="invitations"),
    path("campaigns/<slug:slug>/invitations/list/", invitations.invite_list, name="invite-list"),
    path("campaigns/<slug:slug>/invitations/shared/", invitations.share_link, name="share-link"),
    path(
        "campaigns/<slug:slug>/invitations/shared/<int:invitation_id>/revoke/",
        invitations.revoke_shared_link,
        name="revoke-shared-link",
    ),
    path(
        "campaigns/<slug:slug>/invitations/<int:invitation_id>/renew/",
        invitations.renew_invitation,
        name="renew-invitation",
    ),
    path("campaigns/<slug:slug>/crowd/", crowd.crowd, name="crowd"),
    path("campaigns/<slug:slug>/crowd/participants/", crowd.participants_csv, name="participants"),
    path("campaigns/<slug:slug>/crowd/forget/", crowd.forget_platform_ids, name="forget-ids"),
    path("campaigns/<slug:slug>/crowd/address/", crowd.new_entry_address, name="new-entry-address"),
    path(
        "campaigns/<slug:slug>/crowd/<int:participant_id>/again/",
        crowd.let_in_again,
        name="let-in-again",
    ),
    path("enter/<str:key>/", entry.enter, name="enter"),
    path("study/", entry.study, name="study"),
    path("study/stop/", entry.stop, name="stop-study"),
]
