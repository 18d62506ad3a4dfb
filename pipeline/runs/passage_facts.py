"""What filters and orders ask of each passage that several runs have revised."""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, cast

from django.core.cache import cache
from django.db.models import Case, Count, F, Max, Min, Q, Sum, Value, When

from pipeline.generation.strategies import STRATEGIES
from pipeline.models import Revision, Run

CONFLICT = Q(marks__contains="c") | Q(marks__contains="d")
"""A source contradicts a sentence of y, `engine.auto_ais.marks_of`."""
ANSWERING = (*STRATEGIES, Run.AS_IT_IS)
GAIN = F("attribution_after") - F("attribution_before")


class PassageFacts(NamedTuple):
    """Of one passage, over the revisions that the chosen runs made of it."""

    passage: int
    differs: bool
    """Whether not all revised it, or answered its question, alike."""
    is_rejected: bool
    """Whether an edit was rejected in one of them."""
    is_in_conflict: bool
    """Whether a source contradicts a sentence of one of them, by auto-AIS."""
    highest_gain: float | None
    """Attr_auto after less before, of the run where it rose most; None where nothing is scored."""
    lowest_gain: float | None


KEPT_SECONDS = 600


def passage_facts(runs: Sequence[Run]) -> list[PassageFacts]:
    """Of the passages that every run has revised, in the dataset's order.

    They take half a second for four runs of ten thousand passages, and a person walks from one
    passage to the next: of runs that are over they are cached, until a passage ends or is scored.
    """
    if not all(run.is_over for run in runs):
        return _read_facts(runs)
    key = f"pipeline.passage_facts.{_fingerprint(runs)}"
    found = cache.get_or_set(key, partial(_read_facts, runs), KEPT_SECONDS)
    return cast("list[PassageFacts]", found)


def _fingerprint(runs: Sequence[Run]) -> str:
    """What changes with the facts, read from an index alone; it fits in a cache's key."""
    rows = (
        Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE)
        .order_by("run")
        .values_list("run")
        .annotate(
            Count("pk"), Count("attribution_after"), Sum("attribution_before"),
            Sum("attribution_after"),
        )
    )  # fmt: skip
    return hashlib.sha256(repr(list(rows)).encode()).hexdigest()


def _read_facts(runs: Sequence[Run]) -> list[PassageFacts]:
    done = Revision.objects.filter(run__in=list(runs), state=Revision.State.DONE)
    rows = (
        done.order_by("passage_id")
        .values_list("passage_id")
        .annotate(
            # Of an answer there is no y: it stands where a passage to revise stands.
            differs=Count(
                Case(When(run__system__in=ANSWERING, then="original_text"), default="text"),
                distinct=True,
            ),
            rejected=Max("edits_rejected"),
            conflict=Max(Case(When(CONFLICT, then=Value(1)), default=Value(0))),
            highest=Max(GAIN),
            lowest=Min(GAIN),
            runs=Count("pk"),
        )
        .filter(runs=len(runs))
    )
    return [
        PassageFacts(passage, texts > 1, rejected > 0, conflict > 0, highest, lowest)
        for passage, texts, rejected, conflict, highest, lowest, _ in rows.iterator()
    ]
