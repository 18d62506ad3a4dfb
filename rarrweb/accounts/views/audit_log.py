"""The audit log, for administrators: a page at a time, or what a filter finds as CSV."""

import csv
import json
from collections.abc import Iterator

from django import forms
from django.db.models import QuerySet
from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from rarrweb.accounts import audit
from rarrweb.accounts.append_only import KEPT_DAYS
from rarrweb.accounts.models import AuditEvent, User
from rarrweb.accounts.views.people import administrators_only
from rarrweb.csv import Echo, neutral
from rarrweb.http import UserRequest
from rarrweb.streamed import download_headers

SHOWN = 100
COLUMNS = ("id", "at", "action", "actor", "subject", "origin", "detail")
CHUNK = 2_000


class FilterForm(forms.Form):
    """Which rows; an empty field leaves none out."""

    action = forms.ChoiceField(
        label="What was done",
        required=False,
        choices=[("", "anything"), *((key, name) for key, name in audit.ACTIONS.items())],
    )
    person = forms.CharField(label="By whom (user name)", required=False, max_length=150)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    before = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def found(self) -> QuerySet[AuditEvent]:
        """The rows, newest first; none where a field cannot be read."""
        rows = AuditEvent.objects.select_related("actor")
        if not self.is_valid():
            return rows.none()
        chosen = self.cleaned_data
        if chosen["action"]:
            rows = rows.filter(action=chosen["action"])
        if chosen["person"]:
            rows = rows.filter(actor=User.objects.called(chosen["person"]) or 0)
        if chosen["since"]:
            rows = rows.filter(at__date__gte=chosen["since"])
        if chosen["until"]:
            rows = rows.filter(at__date__lte=chosen["until"])
        return rows


@require_safe
@never_cache
@administrators_only
def audit_log(request: UserRequest) -> HttpResponseBase:
    """The newest rows that the filter finds, or with `?format=csv` all of them."""
    form = FilterForm(request.GET)
    found = form.found()
    if request.GET.get("format") == "csv":
        audit.record("exported", what="audit log")
        return StreamingHttpResponse(
            _csv_lines(found),
            content_type="text/csv; charset=utf-8",
            headers=download_headers("audit-log.csv"),
        )
    before = form.is_valid() and form.cleaned_data["before"]
    rows = list((found.filter(pk__lt=before) if before else found)[: SHOWN + 1])
    asked = request.GET.copy()
    asked.pop("before", None)
    context = {
        "form": form,
        "rows": [(row, audit.ACTIONS.get(row.action, row.action)) for row in rows[:SHOWN]],
        "last": rows[SHOWN - 1].pk if len(rows) > SHOWN else None,
        "asked": asked.urlencode(),
        "is_first": not before,
        "kept_days": KEPT_DAYS,
    }
    return render(request, "accounts/audit_log.html", context)


def _csv_lines(found: QuerySet[AuditEvent]) -> Iterator[str]:
    writer = csv.writer(Echo())
    yield writer.writerow(COLUMNS)
    last = None
    while True:  # by key, so that no cursor is left open where a reader goes away
        rows = list((found.filter(pk__lt=last) if last else found)[:CHUNK])
        for row in rows:
            yield writer.writerow(map(neutral, _cells(row)))
        if len(rows) < CHUNK:
            return
        last = rows[-1].pk


def _cells(row: AuditEvent) -> tuple[object, ...]:
    who = row.actor.username if row.actor is not None else ""
    detail = json.dumps(row.detail) if row.detail else ""
    return (row.pk, row.at.isoformat(), row.action, who, row.subject, row.origin, detail)
