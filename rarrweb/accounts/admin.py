"""People in Django's admin pages, to look at only.

Accounts come from invitations, and the people page keeps one administrator: a second way to
change them would be a second place to keep those promises.
"""

from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from rarrweb.accounts.models import Invitation, User


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows rows; adds, changes and deletes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ["username", "role", "is_active", "last_login", "date_joined"]
    list_filter = ["role", "is_active"]
    search_fields = ["username"]
    fields = ["username", "role", "is_active", "last_login", "date_joined"]


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ["note", "role", "created_by", "created_at", "expires_at", "accepted_by"]
    list_filter = ["role"]
    search_fields = ["note"]
    # The token's hash is of no use to a reader.
    fields = [
        "note",
        "role",
        "created_by",
        "created_at",
        "expires_at",
        "accepted_by",
        "accepted_at",
    ]


admin.site.unregister(Group)  # what a person may do follows from the role alone
for _model in apps.get_models():  # those of django-allauth could be changed here
    _is_allauth = _model._meta.app_label in {"account", "mfa", "socialaccount"}
    if _is_allauth and admin.site.is_registered(_model):
        admin.site.unregister(_model)
