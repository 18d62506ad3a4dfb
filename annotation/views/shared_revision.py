"""A revision for readers without an account, by a secret link."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.results.sentence_levels import Levels, sentence_levels
from pipeline.engine.scorer_info import run_scorer
from pipeline.pages.passage_columns import DiffSentence, diff_sentences
from pipeline.pages.revision_page import AttributionLevel, RevisionPage
from pipeline.pages.sentence_pairs import Mark
from pipeline.pages.stored_page import stored_page
from pipeline.runs.sharing import find_shared
from rarrweb.accounts.http import keep_address_secret


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSentence:
    diff: DiffSentence
    state: str
    """attributed, partly (another source contradicts it), not-attributed, contradicted, or
    not-scored."""
    levels: Levels | None


@require_safe
@never_cache
@login_not_required  # the token is enough
def shared_revision(request: HttpRequest, token: str) -> HttpResponse:
    share = find_shared(token)
    page = stored_page(share.revision) if share else None
    if share is None or page is None:
        raise Http404
    revision = share.revision
    levels = sentence_levels(revision) if share.shows_raters else {}
    rows = tuple(
        SharedSentence(diff=each, state=_state(each), levels=levels.get(each.sentence.number - 1))
        for each in diff_sentences(page)
    )
    context = {
        "revision": revision,
        "page": page,
        "rows": rows,
        "attributed": sum(row.state == "attributed" for row in rows),
        "is_partly": page.attribution.level == AttributionLevel.PARTLY or _is_mixed(rows, page),
        "scorer": run_scorer(revision.run.config, revision.run.versions),
        "shows_raters": share.shows_raters,
        "judged": sum(row.levels is not None for row in rows),
    }
    response = render(request, "annotation/shared_revision.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return keep_address_secret(response)


def _state(diff: DiffSentence) -> str:
    sentence = diff.sentence
    if sentence.mark is Mark.ATTRIBUTED and sentence.is_disputed:
        return "partly"
    return str(sentence.mark)


def _is_mixed(rows: tuple[SharedSentence, ...], page: RevisionPage) -> bool:
    """Tell whether every sentence is supported, but a source contradicts one."""
    is_attributed = page.attribution.level == AttributionLevel.ALL
    return is_attributed and any(row.state == "partly" for row in rows)
