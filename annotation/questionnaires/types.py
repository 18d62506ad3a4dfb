"""What a questionnaire is: its criteria, form and keys, when an item is complete, what counts.

Its texts are English here, marked with `gettext_noop`: data and exports keep them, whatever the
site's language; pages translate them where they show them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext

from annotation.models import Item
from annotation.questionnaires.making import AFTER, BEFORE, BOTH, Draft, Material, passage

TEXT_LIMIT = 50_000
"""Characters of a written answer. Longer than any passage that a form can take."""


class UnknownCriterion(ValueError):
    """A judgment names a criterion that the questionnaire does not ask."""


class TargetOutOfRange(ValueError):
    """A judgment speaks of a sentence or a piece of evidence that the item does not have."""


class UnknownLevel(ValueError):
    """A judgment's value is none of the criterion's levels, or its text has no place."""


class UnknownOption(ValueError):
    """A campaign chose something that its questionnaire does not offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One of the answers to choose from."""

    value: int
    """What is stored, and what statistics and exports read; unique in its criterion."""
    label: str
    """In words, after "is": "fully attributable"."""
    meaning: str = ""
    """When to choose it, in a sentence; empty where the label says it all."""
    mark: str = ""
    """A sign that tells the levels apart without colour."""
    tone: str = "neutral"
    """How the page tints it: yes, no, partly, unclear or neutral."""


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
    """Where nothing is said yet, after "is": "not judged"."""
    question: str = ""
    """Asked beside the levels, where a page asks more than one."""
    is_ordinal: bool = False
    """Whether the levels have an order, so that reliability may count distances."""
    is_text: bool = False
    """Whether the rater writes; the judgment's text is then the answer, and its value 1."""

    is_cited_only: bool = False
    """Of sentences: whether only those that cite something are asked about."""

    unless: tuple[str, int] | None = None
    """The criterion about the same target, and its answer, that leave nothing to ask here. Such a
    target counts as this criterion's least level, in results and in labels alike."""

    def target_count(self, item: Item) -> int:
        return 1 if self.targets == "item" else len(getattr(item, self.targets))

    def asked(self, item: Item) -> list[int]:
        """The targets that the page asks about."""
        if self.is_cited_only:
            return sorted({citation["sentence"] for citation in item.citations})
        return list(range(self.target_count(item)))

    def target_name(self, target: int) -> str:
        """One target in the site's language, as a sentence or a title begins: "Sentence 3"."""
        noun = capfirst(gettext(self.noun))
        if self.targets == "item":
            return str(noun)
        return str(gettext("%(noun)s %(number)d") % {"noun": noun, "number": target + 1})

    def category(self, value: int) -> int:
        """The level's number, from 0, least first: what `pipeline.metrics.reliability` counts.

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
    """What a campaign may ask beyond what its questionnaire always asks."""

    name: str
    label: str
    help: str
    """What it changes for raters and for the result, in a sentence or two."""
    change: Callable[[tuple[Criterion, ...]], tuple[Criterion, ...]]
    """The questions with it, from the questions without it."""
    keys: tuple[tuple[str, str], ...] = ()
    guidelines: str = ""
    """The Markdown file that is added to the instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How the answers about the parts make an answer about the whole, shown as they come."""

    criterion: str
    """A criterion of yes (1) and no (0)."""
    how: str
    """`any`: one yes makes it a yes; `all`: it takes a yes of every part."""
    label: str
    """The whole's quality in a word: "informative"."""


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
    title: str
    summary: str
    """What raters do, in a few words for a researcher who chooses."""
    question: str
    guidelines: str
    """The Markdown file of the instructions, in `annotation/questionnaires/guidelines/`."""
    keys: tuple[tuple[str, str], ...]
    """The keyboard map, as the page lists it: keys parted by a space, and what they do. A rater
    may choose other keys for the single ones (`static/js/judging/keymap.js`)."""
    criteria: tuple[Criterion, ...]
    counted: str
    """The criterion that the campaign's result is of."""
    template: str = "annotation/judging/plain.html"
    """The page; a plain one shows any questions about sentences, evidence and the whole."""
    sides: tuple[str, ...] = (BOTH, BEFORE, AFTER)
    """What of a revision can be judged; the first is what a new campaign is offered."""
    make: Callable[[Material], Draft | None] = passage
    """What an item is made of; None leaves the revision's side out."""
    rules: tuple[Rule, ...] = ()
    figures: str = ""
    """The dotted path of what counts its answers (`annotation.figures`); empty where the
    campaign's result is the share of yes, by side (`annotation.results`)."""
    options: tuple[Option, ...] = ()
    """In the order in which they change the questions."""
    more_guidelines: tuple[str, ...] = ()
    """Of the options that were chosen."""

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
        asked = self.criterion(criterion)
        count = asked.target_count(item)
        if not 0 <= target < count:
            raise TargetOutOfRange(
                f"There is no {asked.noun} {target}: this item has {count}, counted from 0."
            )
        if value is not None:
            asked.category(value)
        if text and (not asked.is_text or value is None):
            raise UnknownLevel(f"{criterion!r} is answered without a text: leave it out.")
        if len(text) > TEXT_LIMIT:
            raise UnknownLevel(
                gettext("The text has %(count)s characters: shorten it to %(limit)s.")
                % {
                    "count": number_format(len(text), force_grouping=True),
                    "limit": number_format(TEXT_LIMIT, force_grouping=True),
                }
            )

    def gaps(self, item: Item, answers: Mapping[tuple[str, int], int | None]) -> list[Gap]:
        """The required answers that are missing, in the page's order.

        `answers` maps (criterion, target) to the value; a missing key and None both say
        "not judged".
        """
        return [
            Gap(criterion=criterion.name, target=target, text=_gap(self, criterion, target))
            for criterion in self.criteria
            if criterion.is_required
            for target in criterion.asked(item)
            if answers.get((criterion.name, target)) is None
            and not is_left_out(criterion, target, answers)
        ]


def is_left_out(
    criterion: Criterion, target: int, answers: Mapping[tuple[str, int], int | None]
) -> bool:
    """Whether another answer about the same target leaves nothing to ask."""
    if criterion.unless is None:
        return False
    name, value = criterion.unless
    return answers.get((name, target)) == value


def yes_or_no(yes: str, no: str) -> tuple[Level, ...]:
    """The two levels of a plain question, no first."""
    return (
        Level(value=0, label=no, mark="✕", tone="no"),
        Level(value=1, label=yes, mark="✓", tone="yes"),
    )


def _gap(questionnaire: Questionnaire, criterion: Criterion, target: int) -> str:
    """What is missing, in a sentence; names the question where a target has several."""
    alike = [each for each in questionnaire.criteria if each.noun == criterion.noun]
    said = {"target": criterion.target_name(target), "state": gettext(criterion.unset)}
    if len(alike) > 1 and criterion.question:
        said["question"] = gettext(criterion.question)
        return str(gettext("%(target)s is %(state)s (%(question)s).") % said)
    return str(gettext("%(target)s is %(state)s.") % said)
