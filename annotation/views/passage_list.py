"""The passages of several runs, narrowed by a filter and a tag and put in order.

A query reads what filters ask of every passage at once (`pipeline.runs.passage_facts`); counting,
narrowing and sorting them takes a few milliseconds for ten thousand.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

from annotation.results.revision_votes import Disputes
from pipeline.data.notes import NotedPassages, read_tags
from pipeline.runs.passage_facts import PassageFacts

Keeps = Callable[[PassageFacts, Disputes, NotedPassages], bool]
FILTERS: Mapping[str, tuple[str, Keeps]] = {
    "all": ("all", lambda *_: True),
    "differ": ("systems differ", lambda fact, *_: fact.differs),
    "disagree": (
        "raters and auto-AIS disagree",
        lambda fact, found, _: fact.passage in found.disagreeing,
    ),
    "rejected": ("edit rejected", lambda fact, *_: fact.is_rejected),
    "intent": ("intent lost", lambda fact, found, _: fact.passage in found.intent_lost),
    "conflict": ("a source contradicts", lambda fact, *_: fact.is_in_conflict),
    "noted": ("has a note", lambda fact, _, notes: fact.passage in notes.noted),
}
"""Name in the address to what the link says, and which passages it keeps."""
RATERS_FILTERS = ("disagree", "intent")
"""Those that ask for `Disputes`."""
SORTS = {
    "": "dataset’s order",
    "gain": "biggest gain",
    "loss": "biggest loss",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an address asks for; what there is not is not asked."""

    runs: tuple[int, ...]
    show: str = "all"
    tag: str = ""
    sort: str = ""

    @classmethod
    def of(cls, query: QueryDict, runs: Sequence[int]) -> "Asked":
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
class Choice:
    """A link that narrows or sorts."""

    name: str
    label: str
    query: str
    is_made: bool
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageList:
    asked: Asked
    passages: tuple[int, ...]
    """The keys of those that are kept, in their order."""
    total: int
    """Those that all runs have revised."""
    filters: tuple[Choice, ...]
    tags: tuple[Choice, ...]
    """Those of the passages that the filter keeps; the chosen one leads back to all of them."""
    sorts: tuple[Choice, ...]

    def place(self, passage: int) -> int:
        """From 1; 0 where the list does not hold it."""
        return self.passages.index(passage) + 1 if passage in self.passages else 0

    def beside(self, passage: int) -> tuple[int | None, int | None]:
        """The one before and the one after; from outside the list, its first one is after."""
        place = self.place(passage)
        before = self.passages[place - 2] if place > 1 else None
        return before, self.passages[place] if place < len(self.passages) else None


def list_passages(
    facts: Sequence[PassageFacts], found: Disputes, notes: NotedPassages, asked: Asked
) -> PassageList:
    of_tag = notes.tagged.get(asked.tag, frozenset()) if asked.tag else None
    among = [fact for fact in facts if of_tag is None or fact.passage in of_tag]
    kept = {
        name: [fact for fact in among if keep(fact, found, notes)]
        for name, (_, keep) in FILTERS.items()
    }
    _, keep = FILTERS[asked.show]
    shown = {fact.passage for fact in facts if keep(fact, found, notes)}
    return PassageList(
        asked=asked,
        passages=tuple(fact.passage for fact in _sorted(kept[asked.show], asked.sort)),
        total=len(facts),
        filters=tuple(
            Choice(
                name=name,
                label=label,
                query=replace(asked, show=name).query,
                is_made=name == asked.show,
                count=len(kept[name]),
            )
            for name, (label, _) in FILTERS.items()
        ),
        tags=tuple(
            Choice(
                name=tag,
                label=tag,
                query=replace(asked, tag="" if tag == asked.tag else tag).query,
                is_made=tag == asked.tag,
                count=len(passages & shown),
            )
            for tag, passages in notes.tagged.items()
            if tag == asked.tag or passages & shown
        ),
        sorts=tuple(
            Choice(
                name=name,
                label=label,
                query=replace(asked, sort=name).query,
                is_made=name == asked.sort,
            )
            for name, label in SORTS.items()
        ),
    )


def _sorted(facts: Collection[PassageFacts], sort: str) -> Collection[PassageFacts]:
    """The largest gain, or loss, of any run first; what is not scored comes last."""
    if sort == "gain":
        return sorted(
            facts, key=lambda fact: (fact.highest_gain is None, -(fact.highest_gain or 0))
        )
    if sort == "loss":
        return sorted(facts, key=lambda fact: (fact.lowest_gain is None, fact.lowest_gain or 0))
    return facts
