"""How much systems change, and what becomes of sentences: edit sizes and transitions."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from annotation.items.run_groups import links_of
from annotation.models import Adjudication, Campaign, Item, Judgment
from annotation.questionnaires import questionnaire_of
from annotation.results.attribution import decided_votes, read_settled, read_votes
from annotation.results.estimates import Drawn, share_of
from pipeline.charts.distributions import Distributions, spread_of
from pipeline.charts.intervals import Entry, Intervals, Row
from pipeline.diff.words import word_diff
from pipeline.engine.auto_ais import ATTRIBUTED, SentenceScore, sentences_from_plain
from pipeline.models import Revision
from pipeline.pages.charts import span_of, with_interval
from pipeline.pages.sentence_pairs import mark_sentences, pair_sentences
from pipeline.runs.names import short_names

BEFORE, AFTER = Item.Side.BEFORE.value, Item.Side.AFTER.value


class Moved(NamedTuple):
    """Sentences of one revision by what they were and became; True is attributed."""

    drawn: Drawn
    moves: tuple[tuple[bool, bool], ...]


def edit_sizes_chart(campaign: Campaign) -> Distributions | None:
    """The share of the text that each revision changed, run by run; all that are revised."""
    names = _run_names(campaign)
    found: dict[str, list[float]] = {name: [] for name in names.values()}
    revisions = Revision.objects.filter(run__in=names, state=Revision.State.DONE).order_by()
    for run, kept in revisions.values_list("run_id", "preservation"):
        if kept is not None:
            found[names[run]].append(1 - kept)
    spreads = [spread_of(name, values, low=0, high=1) for name, values in found.items()]
    groups = tuple(each for each in spreads if each)
    if not groups:
        return None
    most = max(groups, key=lambda each: each.quartiles[1])
    return Distributions(
        title="Share of the text that changed",
        finding=(
            f"{most.name} changes most: the median revision changes "
            f"{100 * most.quartiles[1]:.0f} % of the text, n = {most.n:,}. Shapes are the "
            "revisions of each system, lines medians, bars quartiles."
        ),
        x="Edit distance over the length of the original (1 − Pres Lev)",
        groups=groups,
        low=0,
        high=1,
        head=(
            "System", "n", "first quartile", "median", "third quartile", "mean",
        ),
    )  # fmt: skip


def _run_names(campaign: Campaign) -> dict[int, str]:
    """Those of the campaign's runs that revised something."""
    runs = (link.run for link in links_of(campaign))
    return short_names(run for run in runs if not run.is_as_it_is)


def transitions_chart(campaign: Campaign, moved: list[Moved], *, by: str) -> Intervals | None:
    """The chance of a sentence to become attributed, and to be attributed no more, by system."""
    names = _run_names(campaign)
    of_name: dict[str, list[Moved]] = {name: [] for name in names.values()}
    for each in moved:
        if each.drawn.run in names:
            of_name[names[each.drawn.run]].append(each)
    gained, lost = "not attributed before, attributed after", "attributed before, not after"
    rows = []
    for name, own in of_name.items():
        entries = [_entry(gained, own, False), _entry(lost, own, True)]
        if any(entry.n for entry in entries):
            rows.append(Row(name=name, entries=tuple(entries)))
    if not rows:
        return None
    best = max(rows, key=lambda row: row.entries[0].span.value if row.entries[0].span else -1.0)
    return Intervals(
        title="What becomes of sentences",
        finding=(
            f"{by}: {best.name} makes most of what was not attributed so, "
            f"{_in_words(best.entries[0])}."
        ),
        x="Share of sentences",
        rows=tuple(rows),
        low=0,
        high=1,
        head=(
            "System",
            "Change",
            "n sentences",
            "share",
            "low",
            "high",
            "note",
        ),
    )


def _in_words(entry: Entry) -> str:
    if entry.span is None:
        return "of which there is none"
    return "a share of {share}, n = {n}".format(
        share=with_interval(entry.span),
        n=f"{entry.n:,}",
    )


def _entry(series: str, moved: list[Moved], was: bool) -> Entry:
    """Of the sentences that were so before, the share that is not so after."""
    counts = [
        (sum(b is not was for b in became), len(became))
        for each in moved
        for became in [[b for a, b in each.moves if a is was]]
    ]
    known = [(count, each.drawn) for count, each in zip(counts, moved, strict=True) if count[1]]
    share = share_of([count for count, _d in known], [drawn for _c, drawn in known])
    return Entry(
        series=series,
        span=span_of(share) if share else None,
        n=sum(whole for (_part, whole), _d in known),
    )


def moves_by_raters(campaign: Campaign, phase: str) -> list[Moved]:
    """Sentences that raters judged on both sides and are not tied about, adjudicated ones as
    settled."""
    questionnaire = questionnaire_of(campaign)
    answers = Judgment.objects.that_count().in_campaign(campaign, phase=phase)
    votes, _kinds = read_votes(answers, questionnaire)
    settled = read_settled(Adjudication.objects.filter(item__campaign=campaign), questionnaire)
    decided = {
        side: decided_votes(votes.get(side, {}), settled.get(side, {})) for side in (BEFORE, AFTER)
    }
    both = decided[BEFORE].keys() & decided[AFTER].keys()
    labels = {
        side: {revision: _majorities(decided[side][revision]) for revision in both}
        for side in (BEFORE, AFTER)
    }
    return list(_moves(campaign, labels))


def _majorities(votes: Mapping[int, tuple[int, int]]) -> dict[int, bool]:
    """What most say of each sentence; none for ties."""
    return {number: 2 * yes > n for number, (yes, n) in votes.items() if 2 * yes != n}


def moves_by_model(campaign: Campaign) -> list[Moved]:
    """All sentences of the campaign's revisions with a score, attributed from 0.5 on."""
    return list(_moves(campaign, None))


def _moves(
    campaign: Campaign, labels: dict[str, dict[int, dict[int, bool]]] | None
) -> Iterator[Moved]:
    """Sentences of x beside what became of them; several count as attributed where all are."""
    inclusion = dict(
        Item.objects.filter(campaign=campaign).values_list("revision_id", "inclusion").distinct()
    )
    wanted = list(inclusion) if labels is None else list(labels[BEFORE])
    columns = ("pk", "run_id", "passage_id", "original_text", "text", "sentences")
    for start in range(0, len(wanted), 500):
        rows = Revision.objects.filter(pk__in=wanted[start : start + 500]).order_by("pk")
        for pk, run, passage, old, new, plain in rows.values_list(*columns).iterator():
            scores = {side: sentences_from_plain(plain, side) for side in (BEFORE, AFTER)}
            of_one = (
                {side: _labels(scores[side]) for side in scores}
                if labels is None
                else {side: labels[side][pk] for side in scores}
            )
            drawn = Drawn(run=run, passage=passage, weight=1 / inclusion[pk])
            yield Moved(drawn, tuple(_paired(old, new, scores, of_one)))


def _labels(scores: tuple[SentenceScore, ...]) -> dict[int, bool]:
    return {
        number: score.entailed >= ATTRIBUTED
        for number, score in enumerate(scores)
        if score.entailed is not None
    }


def _paired(
    old: str,
    new: str,
    scores: dict[str, tuple[SentenceScore, ...]],
    labels: dict[str, dict[int, bool]],
) -> Iterator[tuple[bool, bool]]:
    if old == new:
        for number in labels[BEFORE].keys() & labels[AFTER].keys():
            yield labels[BEFORE][number], labels[AFTER][number]
        return
    pieces = word_diff(old, new)
    before = mark_sentences(BEFORE, old, pieces, scores[BEFORE], evidence_count=0)
    after = mark_sentences(AFTER, new, pieces, scores[AFTER], evidence_count=0)
    for pair in pair_sentences(before, after):
        was = [labels[BEFORE].get(each.number - 1) for each in pair.before]
        became = [labels[AFTER].get(each.number - 1) for each in pair.after]
        if was and became and None not in was and None not in became:
            yield all(was), all(became)
