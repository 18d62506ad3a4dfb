"""People: accounts, roles and invitations."""

from django.apps import AppConfig
from django.contrib.auth import signals


class AccountsConfig(AppConfig):
    name = "rarrweb.accounts"
    label = "accounts"

    def ready(self) -> None:
        from rarrweb.accounts import audit  # it knows tables, which are there only now

        signals.user_logged_in.connect(audit.record_log_in)
        signals.user_logged_out.connect(audit.record_log_out)
        signals.user_login_failed.connect(audit.record_failure)
