"""The way from a dataset's questions to a labelled set, as HAGRID was made, and how far it is.

The stages are those of HAGRID's Figure 1; each is done on a page that is there already.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import Count, Q, QuerySet

from annotation.campaigns.progress import PhaseProgress, phases_of
from annotation.items.format_filter import Found, find_problems
from annotation.models import Campaign
from pipeline.backends.search_names import needs_corpus
from pipeline.generation.answer_format import PROBLEMS, VIOLATIONS
from pipeline.generation.strategies import STRATEGIES
from pipeline.importing.came_with import LISTS
from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """A run of a strategy over the questions."""

    run: Run
    done: int
    failed: int

    @property
    def label(self) -> str:
        config = self.run.config.get("generation", {})
        kind = config.get("answer_type", "") if self.run.system == "hagrid" else ""
        number = config.get("answer_number", 1)
        return ", ".join(filter(None, [self.run.system, kind, number > 1 and f"answer {number}"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something wrong with the form of some answers."""

    name: str
    says: str
    answers: int
    is_violation: bool
    """Whether it breaks the form, so that HAGRID would leave the answer out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """A campaign over the answers."""

    campaign: Campaign
    phases: Sequence[PhaseProgress]

    @property
    def done(self) -> int:
        return sum(each.done for each in self.phases)

    @property
    def wanted(self) -> int:
        return sum(each.wanted for each in self.phases)

    @property
    def is_complete(self) -> bool:
        return bool(self.phases) and all(each.is_complete for each in self.phases)


@dataclass(frozen=True, kw_only=True)
class LabelledSet:
    """How far a dataset's questions are on their way to a labelled set."""

    questions: int
    passages: int
    """All of the dataset; those that are no questions are left alone."""
    with_sources: int
    """Questions that came with passages to cite."""
    corpora: int
    """Those that can be searched now."""
    answerings: Sequence[Answering]
    found: dict[int, Found] = field(default_factory=dict)
    labellings: Sequence[Labelling] = ()

    @property
    def has_sources(self) -> bool:
        searches_web = not needs_corpus(settings.RARR_SEARCH)
        return bool(self.corpora or searches_web or self.has_own_sources)

    @property
    def has_own_sources(self) -> bool:
        """Whether every question came with passages to cite."""
        return self.with_sources == self.questions > 0

    @property
    def answers(self) -> int:
        """Finished ones, of all runs."""
        return sum(each.done for each in self.answerings)

    @property
    def is_answering(self) -> bool:
        return any(each.run.state == Run.State.RUNNING for each in self.answerings)

    @property
    def without_problems(self) -> int:
        return sum(each.answers - each.left_out for each in self.found.values())

    @cached_property
    def problems(self) -> list[Problem]:
        """What is wrong with answers of any run, in the order of `PROBLEMS`."""
        counts: Counter[str] = Counter()
        for each in self.found.values():
            counts.update(each.problems)
        return [
            Problem(name=name, says=says, answers=counts[name], is_violation=name in VIOLATIONS)
            for name, says in PROBLEMS.items()
            if counts[name]
        ]

    @property
    def labelled(self) -> Labelling | None:
        """The newest campaign of which something is handed in."""
        return next((each for each in self.labellings if each.done), None)

    @property
    def marks(self) -> dict[str, str]:
        """Each stage: `done`, `now` for the first that is not, or ""."""
        is_done = {
            "questions": bool(self.questions),
            "sources": bool(self.questions) and self.has_sources,
            "answers": bool(self.answers) and not self.is_answering,
            "format": bool(self.labellings),
            "labels": any(each.is_complete for each in self.labellings),
            "statistics": self.labelled is not None,
            "export": False,
        }
        first = next(stage for stage, done in is_done.items() if not done)
        return {
            stage: "now" if stage == first else "done" if done else ""
            for stage, done in is_done.items()
        }


def labelled_set(dataset: Dataset, user: User) -> LabelledSet:
    """How far it is, as the user may see it. Six queries."""
    asked = ~Q(context__regex=r"^\s*$")
    counted: dict[str, Any] = Passage.objects.filter(dataset=dataset).aggregate(
        passages=Count("pk"),
        questions=Count("pk", filter=asked),
        with_sources=Count("pk", filter=asked & Q(source__has_any_keys=list(LISTS))),
    )
    ready = Corpus.objects.visible_to(user).current().filter(state=Corpus.State.READY)
    answerings = _answerings(dataset, user)
    runs = [each.run for each in answerings]
    campaigns = list(
        Campaign.objects.led_by(user)
        .current()
        .filter(questionnaire="answer_quality", run_links__run__in=runs)
        .distinct()
        .order_by("-pk")
    )
    phases = phases_of(campaigns)
    return LabelledSet(
        **counted,
        corpora=ready.count(),
        answerings=answerings,
        found=find_problems(runs, VIOLATIONS),
        labellings=[Labelling(campaign=each, phases=phases.get(each.pk, ())) for each in campaigns],
    )


def _answerings(dataset: Dataset, user: User) -> list[Answering]:
    runs = Run.objects.visible_to(user).current().filter(dataset=dataset, system__in=STRATEGIES)
    counted: QuerySet[Any] = runs.select_related("corpus").annotate(
        done=Count("revisions", filter=Q(revisions__state=Revision.State.DONE)),
        failed=Count("revisions", filter=Q(revisions__state=Revision.State.FAILED)),
    )
    return [Answering(run=run, done=run.done, failed=run.failed) for run in counted.order_by("pk")]
