"""The site: its admin application with rules of its own, its commands, its checks."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.core.checks import register

from rarrweb import languages


class RarrwebAdminConfig(AdminConfig):
    default_site = "rarrweb.admin_site.RarrwebAdminSite"


class RarrwebConfig(AppConfig):
    name = "rarrweb"

    def ready(self) -> None:
        register(languages.check)
