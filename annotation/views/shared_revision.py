"""A revision for readers without an account, by a secret link."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.questionnaires.attribution import PARTLY
from annotation.questionnaires.material import AFTER
from annotation.results.answers import answers_by_side
from annotation.results.attribution import attribution_criterion
from annotation.results.labels import TargetAnswers, most_frequent
from pipeline.engine.scorer_info import run_scorer
from pipeline.models import Revision
from pipeline.pages.revision_list import DiffSentence, diff_sentences
from pipeline.pages.revision_page import AttributionLevel
from pipeline.pages.sentence_pairs import Mark
from pipeline.pages.stored_page import stored_page
from pipeline.runs.sharing import find_shared
from rarrweb.accounts.http import keep_address_secret


@dataclass(frozen=True, slots=True)
class Levels:
    answers: TargetAnswers

    @property
    def part(self) -> int:
        """How many raters chose "partly"."""
        return self.answers.levels.count(PARTLY.value)

    @property
    def label(self) -> str:
        """Full for label 1; else part if more raters say at least partly, none or tie if not.

        >>> Levels(TargetAnswers([1, 1, 0])).label, Levels(TargetAnswers([1, 2])).label
        ('full', 'part')
        >>> Levels(TargetAnswers([1, 0])).label, Levels(TargetAnswers([2, 0, 0])).label
        ('tie', 'none')
        """
        if self.answers.label == 1:
            return "full"
        at_least_partly = most_frequent(level != 0 for level in self.answers.final_levels)
        return {None: "tie", 1: "part", 0: "none"}[at_least_partly]


def sentence_levels(revision: Revision) -> Mapping[int, Levels]:
    """Map sentences of the revised text, from 0, to answers of all campaigns. Two queries."""
    by_side = answers_by_side(
        attribution_criterion(),
        revision=revision,
        side=AFTER,
        campaign__questionnaire="attribution",
    )
    answers = by_side.get(AFTER, {}).get(revision.pk, {})
    return {target: Levels(answers[target]) for target in sorted(answers)}


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
    rows = [
        {"diff": each, "state": _state(each), "levels": levels.get(each.sentence.number - 1)}
        for each in diff_sentences(page)
    ]
    # Every sentence is supported, but a source contradicts one.
    is_mixed = page.attribution.level == AttributionLevel.ALL and any(
        row["state"] == "partly" for row in rows
    )
    context = {
        "revision": revision,
        "page": page,
        "rows": rows,
        "attributed": sum(row["state"] == "attributed" for row in rows),
        "is_partly": page.attribution.level == AttributionLevel.PARTLY or is_mixed,
        "scorer": run_scorer(revision.run.config, revision.run.versions),
        "shows_raters": share.shows_raters,
        "judged": sum(row["levels"] is not None for row in rows),
    }
    response = render(request, "annotation/shared_revision.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return keep_address_secret(response)


def _state(diff: DiffSentence) -> str:
    """Return a mark, or "partly" where another source contradicts what is attributed."""
    sentence = diff.sentence
    if sentence.mark is Mark.ATTRIBUTED and sentence.is_disputed:
        return "partly"
    return str(sentence.mark)
