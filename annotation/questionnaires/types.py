"""What a questionnaire is: its criteria, page and keys, when an item is complete, what counts."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from annotation.models import Item
from annotation.questionnaires.material import (
    AFTER,
    BEFORE,
    BOTH,
    CONTEXT,
    EVIDENCE,
    Draft,
    Material,
    passage,
)

TEXT_LIMIT = 50_000
"""Characters of a written answer. Longer than any passage that a form can take."""


class UnknownCriterion(ValueError):
    """A judgment names a criterion that the questionnaire does not ask."""


class TargetOutOfRange(ValueError):
    """A judgment is about a sentence or a piece of evidence that the item does not have."""


class UnknownLevel(ValueError):
    """A judgment's value is not a level of the criterion, or its text is not asked for."""


class UnknownOption(ValueError):
    """A campaign chose something that its questionnaire does not offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One of the answers to choose from."""

    value: int
    """What is stored, and what statistics and exports read; unique in its criterion."""
    label: str
    """The words after "is": "fully attributable"."""
    meaning: str = ""
    """When to choose it, in a sentence; empty if the label says it all."""
    mark: str = ""
    """A sign that tells the levels apart without colour."""
    tone: str = "neutral"
    """How the page tints it: yes, no, partly, unclear or neutral."""
    short: str = ""
    """What a page with many questions shows of the label; empty: all of it."""


class Judgeable(Protocol):
    """An item, or what an export reads of one: the lists that targets are counted in."""

    @property
    def sentences(self) -> Any: ...
    @property
    def evidence(self) -> Any: ...
    @property
    def citations(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One question, answered by a level, or by a text, about each of an item's targets."""

    name: str
    """At most 30 characters: the column of `Judgment`."""
    targets: str
    """The field of `Item` that lists what is judged (`sentences`, `evidence`, `citations`), or
    `item` where the question is about the whole."""
    noun: str
    """One target, in words: "sentence"."""
    is_required: bool
    levels: tuple[Level, ...]
    """From the least to the most. A text has one level, "given"."""
    unset: str
    """The words after "is" for a target without an answer: "not judged"."""
    question: str = ""
    """Shown beside the levels, if a page asks several questions."""
    is_ordinal: bool = False
    """Whether the levels have an order, so that reliability may count distances."""
    is_text: bool = False
    """Whether the rater writes; the judgment's text is then the answer, and its value 1."""

    is_cited_only: bool = False
    """For sentences: whether only those that cite something are asked about. Any other counts as
    the lowest level, in results and in labels alike."""

    follows: str = ""
    """For sentences that cite once: the criterion about citations that says it of them already.
    Its highest level is a yes to this one, each other one a no, and is recorded as such."""

    unless: tuple[str, int] | None = None
    """Another criterion and the answer to it that leaves nothing to ask about the same target. Such
    a target counts as this criterion's lowest level, in results and in labels alike."""

    def target_count(self, item: "Judgeable") -> int:
        return 1 if self.targets == "item" else len(getattr(item, self.targets))

    def required_targets(self, item: "Judgeable") -> list[int]:
        """The targets that need an answer."""
        if self.is_cited_only:
            return sorted(_citing(item))
        return list(range(self.target_count(item)))

    def displayed_targets(self, item: "Judgeable") -> list[int]:
        """The targets that the page asks about: those whose answer does not follow from another."""
        cites = _citing(item) if self.follows else {}
        return [target for target in self.required_targets(item) if cites.get(target) != 1]

    def target_name(self, target: int) -> str:
        """The target's name, capitalised: "Sentence 3"."""
        noun = self.noun.capitalize()
        return noun if self.targets == "item" else f"{noun} {target + 1}"

    def target_title(self, target: int, *, named: bool) -> str:
        """The target's name; `named` adds the question, for pages that ask several."""
        name = self.target_name(target)
        return f"{name}: {self.question or self.name}" if named else name

    def target_text(self, item: Item, target: int) -> str:
        """What the target says; empty if it is the whole item."""
        if self.targets == "item":
            return ""
        if self.targets == "evidence":
            return str(item.evidence[target]["text"])
        cited = item.citations[target] if self.targets == "citations" else None
        offsets = item.sentences[cited["sentence"] if cited else target]
        sentence = str(item.text[offsets["start"] : offsets["end"]])
        return f"{sentence} — cites evidence {cited['evidence'] + 1}" if cited else sentence

    def category(self, value: int) -> int:
        """The level's index, lowest first, as `pipeline.metrics.reliability` counts it.

        Raises `UnknownLevel`.
        """
        for number, level in enumerate(self.levels):
            if level.value == value:
                return number
        known = ", ".join(str(level.value) for level in self.levels)
        raise UnknownLevel(f"{value} is no level of {self.name!r}: choose one of {known}.")

    def level(self, value: int) -> Level:
        """Raises `UnknownLevel`."""
        return self.levels[self.category(value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """Something that a campaign may ask in addition to its questionnaire."""

    name: str
    label: str
    help: str
    """What it changes for raters and for the result, in a sentence or two."""
    change: Callable[[tuple[Criterion, ...]], tuple[Criterion, ...]]
    """From the criteria without the option to those with it."""
    keys: tuple[tuple[str, str], ...] = ()
    guidelines: str = ""
    """The Markdown file that is added to the instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How answers about parts make an answer about the whole, which the page shows at once."""

    criterion: str
    """A criterion of yes (1) and no (0)."""
    how: str
    """`any`: one yes makes it a yes; `all`: it takes a yes of every part."""
    label: str
    """The whole's quality in a word: "informative"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What at least one item must have, or the questionnaire has nothing to judge."""

    is_met: Callable[[Item], bool]
    refusal: str
    """Why a campaign without such an item is refused, and what to do instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A required answer that is missing; `target` counts from 0."""

    criterion: str
    target: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """A kind of task."""

    name: str
    """Also of its instructions: `annotation/questionnaires/guidelines/NAME.md`."""
    title: str
    summary: str
    """What raters do, in a few words for a researcher who chooses."""
    does: str
    """What raters do, in a sentence to them."""
    question: str
    keys: tuple[tuple[str, str], ...]
    """The keyboard map that the page lists: keys, separated by spaces, and what they do."""
    criteria: tuple[Criterion, ...]
    counted: str
    """The criterion that the campaign's result counts."""
    template: str = "annotation/judging/plain.html"
    """The page; the plain one shows any questions about sentences and about the whole."""
    sides: tuple[str, ...] = (BOTH, BEFORE, AFTER)
    """The sides of a revision that can be judged; the first is a new campaign's default."""
    make: Callable[[Material], Draft | None] = passage
    """Makes an item; None leaves the revision's side out."""
    needs: tuple[Need, ...] = ()
    assumed_seconds: int = 30
    """How long a rater takes over a sentence, or over the item where no question is about a part
    of it: an assumption, until enough raters have been measured."""
    rules: tuple[Rule, ...] = ()
    figures: str = "annotation.results.by_questionnaire.level_shares"
    """The dotted path of what counts its answers; unless it says otherwise, the shares of the
    counted criterion's levels, by side. Empty where the campaign's result is Attr_AIS beside
    auto-AIS (`annotation.results.attribution`)."""
    shows: tuple[str, ...] = (CONTEXT, EVIDENCE)
    """What raters see beside the passage: its context, the attribution report, both or neither."""
    options: tuple[Option, ...] = ()
    """In the order in which they change the questions."""
    more_guidelines: tuple[str, ...] = ()
    """Those of the options that were chosen."""

    def with_options(self, chosen: Collection[str]) -> "Questionnaire":
        """The questionnaire as a campaign asks it; raises `UnknownOption`."""
        unknown = sorted(set(chosen) - {option.name for option in self.options})
        if unknown:
            known = ", ".join(option.name for option in self.options) or "it has none"
            raise UnknownOption(f"{unknown[0]!r} is no option of {self.name!r}: {known}.")
        made = self
        for option in self.options:
            if option.name in chosen:
                made = replace(
                    made,
                    criteria=option.change(made.criteria),
                    keys=made.keys + option.keys,
                    more_guidelines=made.more_guidelines
                    + ((option.guidelines,) if option.guidelines else ()),
                )
        return made

    @property
    def is_about_the_whole(self) -> bool:
        """Whether no question is about a part of the item."""
        return all(criterion.targets == "item" for criterion in self.criteria)

    def criterion(self, name: str) -> Criterion:
        """Raises `UnknownCriterion`."""
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        known = ", ".join(criterion.name for criterion in self.criteria)
        raise UnknownCriterion(f"{name!r} is none of this questionnaire's criteria: {known}.")

    def check(
        self, item: Item, *, criterion: str, target: int, value: int | None = None, text: str = ""
    ) -> None:
        """Raises `UnknownCriterion`, `TargetOutOfRange` or `UnknownLevel` for a bad answer."""
        chosen = self.criterion(criterion)
        count = chosen.target_count(item)
        if not 0 <= target < count:
            raise TargetOutOfRange(
                f"There is no {chosen.noun} {target}: this item has {count}, counted from 0."
            )
        if value is not None:
            chosen.category(value)
        if text and (not chosen.is_text or value is None):
            raise UnknownLevel(f"{criterion!r} is answered without a text: leave it out.")
        if len(text) > TEXT_LIMIT:
            raise UnknownLevel(
                f"The text has {len(text):,} characters: shorten it to {TEXT_LIMIT:,}."
            )

    def following(
        self, item: Item, *, criterion: str, target: int, value: int | None
    ) -> tuple[str, int, int | None] | None:
        """Return the answer implied by one about a sentence's only citation, or None.

        As (criterion, target, value).
        """
        for each in self.criteria:
            if each.follows == criterion:
                sentence = item.citations[target]["sentence"]
                if _citing(item)[sentence] == 1:
                    highest = self.criterion(criterion).levels[-1].value
                    return each.name, sentence, None if value is None else int(value == highest)
        return None

    def gaps(self, item: Item, answers: Mapping[tuple[str, int], int | None]) -> list[Gap]:
        """The required answers that are missing, in the page's order.

        `answers` maps (criterion, target) to the value; a missing key and None both say
        "not judged".
        """
        return [
            Gap(criterion=criterion.name, target=target, text=_gap(self, criterion, target))
            for criterion in self.criteria
            if criterion.is_required
            for target in criterion.displayed_targets(item)
            if answers.get((criterion.name, target)) is None
            and not is_inapplicable(criterion, target, answers)
        ]

    def comparable_criteria(self) -> list[Criterion]:
        """The criteria with levels to choose from, so that two raters' answers can be compared."""
        return [each for each in self.criteria if not each.is_text and len(each.levels) > 1]

    def decisive_criteria(self) -> list[Criterion]:
        """The comparable criteria that an item needs to be complete: those worth settling."""
        return [each for each in self.comparable_criteria() if each.is_required]


def _citing(item: Judgeable) -> Counter[int]:
    """The sentences that cite, each with how many citations it has."""
    return Counter(citation["sentence"] for citation in item.citations)


def is_inapplicable(
    criterion: Criterion, target: int, answers: Mapping[tuple[str, int], int | None]
) -> bool:
    """Whether another answer about the same target leaves nothing to ask."""
    if criterion.unless is None:
        return False
    name, value = criterion.unless
    return answers.get((name, target)) == value


HAS_EVIDENCE = Need(
    is_met=lambda item: bool(item.evidence),
    refusal=(
        "No chosen passage has evidence, so nothing could be supported. Choose a run that found "
        "some."
    ),
)


def yes_or_no(yes: str, no: str, *, short: tuple[str, str] = ("", "")) -> tuple[Level, ...]:
    """The two levels of a plain question, no first; `short` has the words for yes first."""
    return (
        Level(value=0, label=no, mark="✕", tone="no", short=short[1]),
        Level(value=1, label=yes, mark="✓", tone="yes", short=short[0]),
    )


def _gap(questionnaire: Questionnaire, criterion: Criterion, target: int) -> str:
    """What is missing, in a sentence; names the question if a target has several."""
    alike = [each for each in questionnaire.criteria if each.noun == criterion.noun]
    question = f" ({criterion.question})" if len(alike) > 1 and criterion.question else ""
    return f"{criterion.target_name(target)} is {criterion.unset}{question}."
