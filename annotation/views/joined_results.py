"""The table that joins attribution and intent campaigns, and its files."""

from urllib.parse import urlencode

from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Campaign
from annotation.results.joined import COLUMNS, joined_rows, runs_of
from annotation.results.joined_files import csv_lines, latex
from annotation.results.joined_revisions import KINDS, fields_of
from pipeline.views.lists import researchers_only
from rarrweb.http import UserRequest
from rarrweb.streamed import download_headers

OFFERED = 100
MOST_CAMPAIGNS = 8


@require_safe
@never_cache
def joined_results(request: UserRequest) -> HttpResponseBase:
    """`?campaign=SLUG&campaign=SLUG` joins those, `&by=FIELD` parts rows by a passage's metadata,
    `&format=csv` or `latex` gives the file. `?with=SLUG` joins it with those tied to it."""
    researchers_only(request)
    offered = _offered(request)
    chosen, problem = _chosen(request, offered)
    fields = fields_of(runs_of(chosen)) if chosen else []
    by = request.GET.get("by", "")
    if by and by not in fields:
        by, problem = "", problem or _("No passage of these campaigns has several such values.")
    rows = joined_rows(chosen, by=by) if chosen else []
    name = request.GET.get("format")
    if name == "csv":
        return StreamingHttpResponse(
            csv_lines(rows), content_type="text/csv", headers=download_headers("results.csv")
        )
    if name == "latex":
        return HttpResponse(
            latex(rows), content_type="text/x-tex", headers=download_headers("results.tex")
        )
    if name:
        raise Http404
    context = {
        "offered": offered,
        "chosen": chosen,
        "problem": problem,
        "most": MOST_CAMPAIGNS,
        "columns": COLUMNS,
        "fields": fields,
        "by": by,
        "rows": rows,
        "latex": latex(rows) if rows else "",
        "query": urlencode(
            [("campaign", each.slug) for each in chosen] + ([("by", by)] if by else [])
        ),
        "kinds": {each.questionnaire for each in chosen},
    }
    return render(request, "annotation/joined_results.html", context)


def _offered(request: UserRequest) -> list[Campaign]:
    """The latest campaigns that can be joined."""
    led = Campaign.objects.led_by(request.user).current().filter(questionnaire__in=KINDS)
    return list(led.exclude(state=Campaign.State.DRAFT).order_by("-pk")[:OFFERED])


def _chosen(request: UserRequest, offered: list[Campaign]) -> tuple[list[Campaign], str]:
    """The campaigns of the address, and what is wrong with the choice, in a sentence."""
    slugs = set(request.GET.getlist("campaign"))
    start = next((each for each in offered if each.slug == request.GET.get("with")), None)
    if start is not None:
        # The campaign that it follows, if any, and whichever follow either.
        first = start.follows_id or start.pk
        slugs |= {start.slug} | {
            each.slug for each in offered if first in {each.pk, each.follows_id}
        }
    chosen = [each for each in offered if each.slug in slugs]
    if len(chosen) > MOST_CAMPAIGNS:
        return [], _("Choose at most %(most)d campaigns.") % {"most": MOST_CAMPAIGNS}
    if len(chosen) < len(slugs):
        return chosen, _("Some of these campaigns cannot be joined: choose from the list.")
    return chosen, ""
