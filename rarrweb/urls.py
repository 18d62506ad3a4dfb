"""URLs of the site."""

from django.urls import include, path

from annotation.views import (
    joined_results,
    new_campaign,
    passage_comparison,
    personal_data,
    shared_revision,
)
from annotation.views.home import home
from annotation.views.search import search
from rarrweb.help.views import help_document, help_screenshot
from rarrweb.operations.health import healthz, readyz
from rarrweb.operations.metrics import metrics

urlpatterns = [
    path("", home, name="home"),
    # Pages of one app that pages of another link to.
    path("account/data/", personal_data.my_data, name="my-data"),
    path("people/<int:user_id>/data/", personal_data.data_of, name="data-of"),
    path("campaigns/new/", new_campaign.new_campaign, name="new-campaign"),
    path("compare/passages/", passage_comparison.compare_passages, name="compare-passages"),
    path(
        "compare/passages/<int:passage_id>/",
        passage_comparison.compare_passage,
        name="compare-passage",
    ),
    path("revisions/shared/<str:token>/", shared_revision.shared_revision, name="shared-revision"),
    path("results/", joined_results.joined_results, name="joined-results"),
    path("", include("annotation.urls")),
    path("", include("rarrweb.accounts.urls")),
    path("", include("rarrweb.accounts.allauth_urls")),
    path("", include("pipeline.urls")),
    path("api/", include("rarrweb.api.urls")),
    path("api/", include("pipeline.api.urls")),
    path("api/", include("annotation.api.urls")),
    path("search/", search, name="search"),
    path("help/", help_document, name="help"),
    path("help/screenshots/<str:name>", help_screenshot, name="help-screenshot"),
    path("help/<path:name>/", help_document, name="help-document"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]

handler500 = "rarrweb.web.unavailable.server_error_or_unavailable"
