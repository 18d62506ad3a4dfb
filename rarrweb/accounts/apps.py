"""People: accounts, roles and invitations."""

from django.apps import AppConfig

from rarrweb.accounts.secret_links import watch_logs


class AccountsConfig(AppConfig):
    name = "rarrweb.accounts"
    label = "accounts"

    def ready(self) -> None:
        watch_logs()
