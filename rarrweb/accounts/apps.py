"""People: accounts, roles and invitations."""

from django.apps import AppConfig
from django.contrib.auth import signals


class AccountsConfig(AppConfig):
    name = "rarrweb.accounts"
    label = "accounts"

    def ready(self) -> None:
        from allauth.mfa import signals as mfa
        from allauth.socialaccount import signals as social

        from rarrweb.accounts import audit, second_factor

        signals.user_logged_in.connect(audit.record_log_in)
        signals.user_logged_out.connect(audit.record_log_out)
        signals.user_login_failed.connect(audit.record_failure)
        mfa.authenticator_added.connect(second_factor.end_other_sessions)
        mfa.authenticator_removed.connect(second_factor.end_other_sessions)
        mfa.authenticator_used.connect(second_factor.record_use)
        mfa.authentication_failed.connect(second_factor.record_failure)
        social.social_account_added.connect(audit.record_connection)
        social.social_account_removed.connect(audit.record_disconnection)
