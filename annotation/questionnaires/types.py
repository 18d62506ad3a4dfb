"""Types of questionnaires."""

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
"""Characters of a written answer."""


class InvalidAnswer(ValueError):
    """The questionnaire or the item has no such criterion, target, level or text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    value: int
    """Unique in its criterion."""
    label: str
    """The words after "is": "fully attributable"."""
    meaning: str = ""
    mark: str = ""
    """A sign for users who see no colour."""
    tone: str = "neutral"
    """Colour: yes, no, partly, unclear or neutral."""


class Judgeable(Protocol):
    """An item, or a row of an export."""

    @property
    def sentences(self) -> Any: ...
    @property
    def evidence(self) -> Any: ...
    @property
    def citations(self) -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A question about each target of an item."""

    name: str
    """At most 30 characters."""
    targets: str
    """The field of `Item` with the targets (`sentences`, `evidence`, `citations`), or `item`."""
    noun: str
    """Such as "sentence"."""
    is_required: bool
    levels: tuple[Level, ...]
    """From the least to the most; a text has one."""
    lowest_first: bool = False
    """Whether the page lists the least first."""
    unset: str
    """The words after "is" without an answer: "not judged"."""
    question: str = ""
    """For pages with several questions."""
    is_ordinal: bool = False
    """Whether reliability counts the distances of levels."""
    is_aid: bool = False
    """Whether it only helps raters to decide: it is never adjudicated nor checked."""
    is_text: bool = False
    """Whether the answer is a text; its value is 1."""

    is_cited_only: bool = False
    """Ask only about sentences that cite; any other has the lowest level."""

    follows: str = ""
    """The criterion about citations that answers this one for sentences that cite once.

    Its highest level implies 1, any other 0.
    """

    unless: tuple[str, int] | None = None
    """The (criterion, value) that leaves this unasked; its lowest level then counts."""

    @property
    def displayed_levels(self) -> tuple[Level, ...]:
        """In the order of the page and its number keys."""
        return self.levels[:: 1 if self.lowest_first else -1]

    def target_count(self, item: "Judgeable") -> int:
        return 1 if self.targets == "item" else len(getattr(item, self.targets))

    def required_targets(self, item: "Judgeable") -> list[int]:
        """Return the targets that need an answer."""
        if self.is_cited_only:
            return sorted(_citing(item))
        return list(range(self.target_count(item)))

    def displayed_targets(self, item: "Judgeable") -> list[int]:
        """Return the targets on the page: without those that `follows` answers."""
        cites = _citing(item) if self.follows else {}
        return [target for target in self.required_targets(item) if cites.get(target) != 1]

    def target_name(self, target: int) -> str:
        """Such as "Sentence 3"."""
        noun = self.noun.capitalize()
        return noun if self.targets == "item" else f"{noun} {target + 1}"

    def target_title(self, target: int, *, named: bool) -> str:
        """Return the name; `named` adds the question."""
        name = self.target_name(target)
        return f"{name}: {self.question or self.name}" if named else name

    def target_text(self, item: Item, target: int) -> str:
        """Return the target's text; empty for the whole item."""
        if self.targets == "item":
            return ""
        if self.targets == "evidence":
            return str(item.evidence[target]["text"])
        cited = item.citations[target] if self.targets == "citations" else None
        offsets = item.sentences[cited["sentence"] if cited else target]
        sentence = str(item.text[offsets["start"] : offsets["end"]])
        if not cited:
            return sentence
        number = item.evidence[cited["evidence"]].get("number", cited["evidence"] + 1)
        return f"{sentence} — cites source {number}"

    def category(self, value: int) -> int:
        """Return the level's index, lowest first. Raises `InvalidAnswer`."""
        values = [level.value for level in self.levels]
        if value not in values:
            known = ", ".join(map(str, values))
            raise InvalidAnswer(f"{value} is no level of {self.name!r}: choose one of {known}.")
        return values.index(value)

    def level(self, value: int) -> Level:
        """Raises `InvalidAnswer`."""
        return self.levels[self.category(value)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    name: str
    label: str
    help: str
    change: Callable[[tuple[Criterion, ...]], tuple[Criterion, ...]]
    keys: tuple[tuple[str, str], ...] = ()
    guidelines: str = ""
    is_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """At least one item must meet it."""

    is_met: Callable[[Mapping[str, Any]], bool]
    """Given an item's columns."""
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A missing required answer; `target` counts from 0."""

    criterion: str
    target: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Questionnaire:
    """A kind of task."""

    name: str
    """Its instructions are `annotation/questionnaires/guidelines/NAME.md`."""
    title: str
    summary: str
    """For researchers."""
    does: str
    """For raters."""
    question: str
    keys: tuple[tuple[str, str], ...]
    """Keys, separated by spaces, with actions."""
    criteria: tuple[Criterion, ...]
    result_criterion: str
    """The criterion of the result."""
    template: str = "annotation/judging/plain.html"
    sides: tuple[str, ...] = (BOTH, BEFORE, AFTER)
    """The sides that can be judged, the default first."""
    make: Callable[[Material], Draft | None] = passage
    """Return None if there is nothing to judge."""
    needs: tuple[Need, ...] = ()
    assumed_seconds: int = 30
    """Per sentence, or per item if it is judged as a whole; until enough are measured."""
    figures: str = "annotation.results.by_questionnaire.level_shares"
    """The function that counts the answers; empty for `annotation.results.attribution`."""
    shows: tuple[str, ...] = (CONTEXT, EVIDENCE)
    options: tuple[Option, ...] = ()
    more_guidelines: tuple[str, ...] = ()

    @property
    def sentence_noun(self) -> str:
        """What the page calls a sentence: "part" in answer quality."""
        nouns = (each.noun for each in self.criteria if each.targets == "sentences")
        return next(nouns, "sentence")

    def with_options(self, chosen: Collection[str]) -> "Questionnaire":
        """Apply the options; raises `ValueError` for an unknown one."""
        unknown = sorted(set(chosen) - {option.name for option in self.options})
        if unknown:
            known = ", ".join(option.name for option in self.options) or "it has none"
            raise ValueError(f"{unknown[0]!r} is no option of {self.name!r}: {known}.")
        changed = self
        for option in self.options:
            if option.name in chosen:
                guidelines = (option.guidelines,) if option.guidelines else ()
                changed = replace(
                    changed,
                    criteria=option.change(changed.criteria),
                    keys=changed.keys + option.keys,
                    more_guidelines=changed.more_guidelines + guidelines,
                )
        return changed

    @property
    def default_options(self) -> list[str]:
        return [option.name for option in self.options if option.is_default]

    @property
    def judges_whole_item(self) -> bool:
        return all(criterion.targets == "item" for criterion in self.criteria)

    def criterion(self, name: str) -> Criterion:
        """Raises `InvalidAnswer`."""
        criteria = {criterion.name: criterion for criterion in self.criteria}
        if name not in criteria:
            known = ", ".join(criteria)
            raise InvalidAnswer(f"{name!r} is none of this questionnaire's criteria: {known}.")
        return criteria[name]

    def check(
        self, item: Item, *, criterion: str, target: int, value: int | None = None, text: str = ""
    ) -> None:
        """Raise `InvalidAnswer` for an answer that does not fit."""
        chosen = self.criterion(criterion)
        count = chosen.target_count(item)
        if not 0 <= target < count:
            raise InvalidAnswer(
                f"There is no {chosen.noun} {target}: this item has {count}, counted from 0."
            )
        if value is not None:
            chosen.category(value)
        if text and (not chosen.is_text or value is None):
            raise InvalidAnswer(f"{criterion!r} is answered without a text: leave it out.")
        if len(text) > TEXT_LIMIT:
            raise InvalidAnswer(
                f"The text has {len(text):,} characters: shorten it to {TEXT_LIMIT:,}."
            )

    def implied_answer(
        self, item: Item, *, criterion: str, target: int, value: int | None
    ) -> tuple[str, int, int | None] | None:
        """Return the implied (criterion, target, value) (`Criterion.follows`), or None."""
        for each in self.criteria:
            if each.follows == criterion:
                sentence = item.citations[target]["sentence"]
                if _citing(item)[sentence] == 1:
                    highest = self.criterion(criterion).levels[-1].value
                    return each.name, sentence, None if value is None else int(value == highest)
        return None

    def gaps(self, item: Item, answers: Mapping[tuple[str, int], int | None]) -> list[Gap]:
        """Return the missing answers in the order of the page.

        `answers` maps (criterion, target) to a value, or to None.
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
        """Return the criteria with levels to choose."""
        return [each for each in self.criteria if not each.is_text and len(each.levels) > 1]

    def decisive_criteria(self) -> list[Criterion]:
        """Return the required criteria with levels to choose, without aids."""
        return [each for each in self.comparable_criteria() if each.is_required and not each.is_aid]


def _citing(item: Judgeable) -> Counter[int]:
    """Return sentence → number of citations."""
    return Counter(citation["sentence"] for citation in item.citations)


def is_inapplicable(
    criterion: Criterion, target: int, answers: Mapping[tuple[str, int], int | None]
) -> bool:
    """Return whether `Criterion.unless` applies."""
    if criterion.unless is None:
        return False
    name, value = criterion.unless
    return answers.get((name, target)) == value


HAS_EVIDENCE = Need(
    is_met=lambda item: bool(item["evidence"]),
    refusal=(
        "No chosen passage has evidence, so nothing could be supported. Choose a run that found "
        "some."
    ),
)


def yes_or_no(yes: str, no: str) -> tuple[Level, ...]:
    """Return the levels 0 and 1."""
    return (
        Level(value=0, label=no, mark="✕", tone="no"),
        Level(value=1, label=yes, mark="✓", tone="yes"),
    )


def _gap(questionnaire: Questionnaire, criterion: Criterion, target: int) -> str:
    alike = [each for each in questionnaire.criteria if each.noun == criterion.noun]
    question = f" ({criterion.question})" if len(alike) > 1 and criterion.question else ""
    return f"{criterion.target_name(target)} is {criterion.unset}{question}."
