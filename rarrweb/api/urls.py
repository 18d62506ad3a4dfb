"""The API's schema and its reference page."""

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.decorators import login_required
from django.urls import path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

# Swagger UI has inline styles and icons in its style sheet, but no inline scripts.
docs = csp_update({"style-src": [UNSAFE_INLINE], "img-src": ["data:"]})(
    login_required(SpectacularSwaggerSplitView.as_view(url_name="api:schema"))
)

app_name = "api"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api:docs"), name="root"),
    path("docs/", docs, name="docs"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
]
