"""People: accounts, roles and invitations."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "rarrweb.accounts"
    label = "accounts"
