"""The passages of several runs, filtered and sorted.

In Python, over one query of `pipeline.runs.passage_facts`: milliseconds for ten thousand.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from annotation.results.revision_votes import FlaggedPassages
from pipeline.data.notes import NotedPassages, read_tags
from pipeline.runs.passage_facts import PassageFacts

Keeps = Callable[[PassageFacts, FlaggedPassages, NotedPassages], bool]
FILTERS: Mapping[str, tuple[str, Keeps]] = {
    "all": ("all", lambda *_: True),
    "differ": ("systems differ", lambda fact, *_: fact.differs),
    "disagree": (
        "raters and auto-AIS disagree",
        lambda fact, flagged, _: fact.passage in flagged.disagreeing,
    ),
    "rejected": ("edit rejected", lambda fact, *_: fact.is_rejected),
    "intent": ("intent lost", lambda fact, flagged, _: fact.passage in flagged.intent_lost),
    "conflict": ("a source contradicts", lambda fact, *_: fact.is_in_conflict),
    "noted": ("has a note", lambda fact, _, notes: fact.passage in notes.noted),
}
"""Name in the address to label and condition."""
RATERS_FILTERS = ("disagree", "intent")
"""Those that ask for `FlaggedPassages`."""
SORTS = {"": "dataset’s order", "gain": "biggest gain", "loss": "biggest loss"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFilter:
    """The query of an address; unknown values are ignored."""

    runs: tuple[int, ...]
    show: str = "all"
    tag: str = ""
    sort: str = ""

    @classmethod
    def of(cls, query: QueryDict, runs: Sequence[int]) -> "PassageFilter":
        show, sort = query.get("show", ""), query.get("sort", "")
        return cls(
            runs=tuple(runs),
            show=show if show in FILTERS else "all",
            tag="".join(read_tags(query.get("tag", ""))[:1]),
            sort=sort if sort in SORTS else "",
        )

    @property
    def query(self) -> str:
        show = "" if self.show == "all" else self.show
        chosen = {"show": show, "tag": self.tag, "sort": self.sort}
        given = {name: value for name, value in chosen.items() if value}
        return f"?{urlencode({'run': self.runs, **given}, doseq=True)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterLink:
    name: str
    label: str
    query: str
    is_selected: bool
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageList:
    chosen: PassageFilter
    passages: tuple[int, ...]
    """Keys, filtered and in order."""
    total: int
    """Passages that all runs have revised."""
    filters: tuple[FilterLink, ...]
    tags: tuple[FilterLink, ...]
    """Tags of the filtered passages; the selected one's link removes it."""
    sorts: tuple[FilterLink, ...]

    def position(self, passage: int) -> int:
        """Return the position from 1; 0 if absent."""
        return self.passages.index(passage) + 1 if passage in self.passages else 0

    def neighbours(self, passage: int) -> tuple[int | None, int | None]:
        """Return the passages before and after; an absent one is before the first."""
        position = self.position(passage)
        before = self.passages[position - 2] if position > 1 else None
        return before, self.passages[position] if position < len(self.passages) else None


def list_passages(
    facts: Sequence[PassageFacts],
    flagged: FlaggedPassages,
    notes: NotedPassages,
    chosen: PassageFilter,
) -> PassageList:
    of_tag = notes.tagged.get(chosen.tag, frozenset()) if chosen.tag else None
    among = [fact for fact in facts if of_tag is None or fact.passage in of_tag]
    by_filter = {
        name: [fact for fact in among if keep(fact, flagged, notes)]
        for name, (_, keep) in FILTERS.items()
    }
    _, keep = FILTERS[chosen.show]
    selected = {fact.passage for fact in facts if keep(fact, flagged, notes)}

    def link(parameter: str, name: str, label: str, count: int = 0) -> FilterLink:
        is_selected = getattr(chosen, parameter) == name
        changed: dict[str, Any] = {parameter: name}
        if parameter == "tag" and is_selected:
            changed = {"tag": ""}
        query = replace(chosen, **changed).query
        return FilterLink(name=name, label=label, query=query, is_selected=is_selected, count=count)

    return PassageList(
        chosen=chosen,
        passages=tuple(fact.passage for fact in _sorted(by_filter[chosen.show], chosen.sort)),
        total=len(facts),
        filters=tuple(
            link("show", name, label, len(by_filter[name])) for name, (label, _) in FILTERS.items()
        ),
        tags=tuple(
            link("tag", tag, tag, len(passages & selected))
            for tag, passages in notes.tagged.items()
            if tag == chosen.tag or passages & selected
        ),
        sorts=tuple(link("sort", name, label) for name, label in SORTS.items()),
    )


def _sorted(facts: Collection[PassageFacts], sort: str) -> Collection[PassageFacts]:
    """Sort by the largest gain or loss of any run; unscored passages last."""
    if sort == "gain":
        return sorted(
            facts, key=lambda fact: (fact.highest_gain is None, -(fact.highest_gain or 0))
        )
    if sort == "loss":
        return sorted(facts, key=lambda fact: (fact.lowest_gain is None, fact.lowest_gain or 0))
    return facts
