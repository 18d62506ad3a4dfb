"""Pages of django-allauth, under the names that it reverses."""

from allauth.account import views as account
from allauth.mfa.totp.views import activate_totp
from csp.decorators import csp_update
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.decorators.cache import never_cache

urlpatterns = [
    path("log-in/", account.login, name="account_login"),
    path("log-out/", LogoutView.as_view(http_method_names=["post"]), name="account_logout"),
    path("log-in/inactive/", account.account_inactive, name="account_inactive"),
    path("account/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path(  # before the include, which has it too: its QR code is a data address
        "account/second-factor/totp/activate/",
        never_cache(csp_update({"img-src": ["data:"]})(activate_totp)),
        name="mfa_activate_totp",
    ),
    path("account/second-factor/", include("allauth.mfa.urls")),
    path("account/provider/", include("allauth.socialaccount.urls")),
    path("log-in/provider/", include("allauth.socialaccount.providers.openid_connect.urls")),
]
