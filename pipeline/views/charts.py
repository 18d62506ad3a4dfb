"""Files of charts and tables."""

import hashlib
from collections.abc import Mapping
from functools import partial

from django.core.cache import cache
from django.http import Http404, HttpResponse

from pipeline.charts.chart import NARROW, WIDE, Chart
from pipeline.charts.rendering import FORMATS, render
from pipeline.charts.schemes import SCHEMES
from rarrweb.accounts import audit
from rarrweb.accounts.http import UserRequest
from rarrweb.web.csv import table_text
from rarrweb.web.streaming import download_headers

CACHE_SECONDS = 3600
SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; sandbox"

TABLE_FORMS = {
    "csv": ("csv", "text/csv; charset=utf-8"),
    "latex": ("tex", "text/x-tex; charset=utf-8"),
    "narrow": ("tex", "text/x-tex; charset=utf-8"),
}
"""Form in the address → suffix and content type of the file."""


def table_response(files: Mapping[str, str], name: str, form: str) -> HttpResponse:
    """Return a table's file; raises `Http404` for an unknown form."""
    if form not in files:
        raise Http404
    ending, kind = TABLE_FORMS[form]
    audit.record("exported", what=f"table, {ending}")
    headers = download_headers(f"{name}.{ending}")
    return HttpResponse(files[form], content_type=kind, headers=headers)


def chart_response(request: UserRequest, chart: Chart | None, name: str, form: str) -> HttpResponse:
    """Return a chart's file; raises `Http404` if there is none.

    `?scheme=` and `?width=` draw it for a page instead of for paper; `?download` saves it.
    """
    if chart is None or chart.is_empty:
        raise Http404
    headers = download_headers(f"{name}.{form}") if "download" in request.GET else {}
    if form == "csv":
        audit.record("exported", what="chart, csv")
        text = table_text(chart.head, chart.cells)
        return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)
    scheme = request.GET.get("scheme", "print")
    width = {str(NARROW): NARROW, str(WIDE): WIDE}.get(request.GET.get("width", str(WIDE)))
    if form not in FORMATS or scheme not in SCHEMES or width is None:
        raise Http404
    if headers:
        audit.record("exported", what=f"chart, {form}")
    digest = hashlib.sha256(f"{chart!r}:{form}:{scheme}:{width}".encode()).hexdigest()
    draw = partial(render, chart, form, scheme=scheme, width=width)
    drawn = cache.get_or_set(f"pipeline.chart.{digest}", draw, CACHE_SECONDS)
    headers |= {"Content-Security-Policy": SVG_POLICY, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(drawn, content_type=FORMATS[form], headers=headers)
