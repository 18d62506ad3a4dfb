"""Checks of the installation, and the backup before migrations."""

from django.apps import AppConfig, apps
from django.core.checks import register
from django.db.models.signals import pre_migrate


class OperationsConfig(AppConfig):
    name = "rarrweb.operations"

    def ready(self) -> None:
        from rarrweb.operations.backups import restoration, scheduled
        from rarrweb.operations.doctor import system_checks

        for check in (restoration.check, *system_checks.ALL):
            register(check)
        # Sent for each app; one backup is enough.
        pre_migrate.connect(
            scheduled.back_up_before_migrating, sender=apps.get_app_config("accounts")
        )
