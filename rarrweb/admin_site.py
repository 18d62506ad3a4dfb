"""Django's admin pages: a read-only look at the tables, for administrators."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode


class RarrwebAdminSite(AdminSite):
    """Opens to the role administrator; for everybody else with an account it is not there."""

    site_header = site_title = "rarrweb tables"
    index_title = "Tables"

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(getattr(request.user, "is_administrator", False))

    def admin_view(  # type: ignore[override]  # Django promises the view's own type, and wraps it too
        self, view: Callable[..., HttpResponseBase], cacheable: bool = False
    ) -> Callable[..., HttpResponseBase]:
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def hidden(request: HttpRequest, *args: Any, **values: Any) -> HttpResponseBase:
            if request.user.is_authenticated and not self.has_permission(request):
                raise Http404
            return guarded(request, *args, **values)

        return hidden

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The site's one log-in page, which counts failures; the admin's own does not."""
        if request.user.is_authenticated:
            raise Http404
        onward = urlencode({"next": request.GET.get("next", reverse("admin:index"))})
        return redirect(f"{reverse('account_login')}?{onward}")

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """The account page changes passwords, and counts wrong ones."""
        return redirect("accounts:account")
