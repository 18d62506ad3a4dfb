"""URLs of people and accounts."""

from django.urls import path

from rarrweb.accounts.views import account, people

app_name = "accounts"
urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/log-out-elsewhere/", account.log_out_elsewhere, name="log-out-elsewhere"),
    path("account/theme/", account.set_theme, name="theme"),
    path("account/tokens/", account.token_list, name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", account.revoke_token, name="revoke-token"),
    path("people/", people.people_list, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/<int:user_id>/role/", people.change_role, name="change-role"),
    path("people/<int:user_id>/deactivate/", people.deactivate, name="deactivate"),
    path("people/<int:user_id>/reactivate/", people.reactivate, name="reactivate"),
    path(
        "people/<int:user_id>/second-factor/reset/",
        people.reset_second_factor,
        name="reset-second-factor",
    ),
    path("people/<int:user_id>/password/", people.password_link, name="password-link"),
    path("new-password/<str:user_code>/<str:token>/", account.new_password, name="new-password"),
    path(
        "invitations/<int:invitation_id>/revoke/",
        people.revoke_invitation,
        name="revoke-invitation",
    ),
    path("invitations/<str:token>/", account.accept_invitation, name="accept-invitation"),
]
