"""Django's admin application with this site's own rules."""

from django.contrib.admin.apps import AdminConfig


class RarrwebAdminConfig(AdminConfig):
    default_site = "rarrweb.admin_site.RarrwebAdminSite"
