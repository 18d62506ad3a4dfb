"""The runs that a campaign is over, to be ticked in a form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet

from pipeline.models import Revision, Run
from pipeline.paging import key_of
from rarrweb.accounts.models import User


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A run to tick, with how many of its passages are revised."""

    run: Run
    done: int
    is_chosen: bool
    number: int
    """Its place in the list, for the box's id."""


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with something revised; `offer` says whose. templates/annotation/_runs.html shows it."""

    def __init__(self) -> None:
        super().__init__(
            queryset=Run.objects.none(),
            label="Runs",
            help_text="One, or several to compare systems or datasets. Only their finished "
            "revisions go in, as they are now.",
            error_messages={
                "required": "Choose at least one run.",
                "invalid_choice": "Run %(value)s is gone, or has nothing revised: choose others.",
            },
        )

    def offer(self, user: User) -> None:
        """Let the user choose of the runs that they may see and that have finished revisions."""
        self.queryset = runs_to_judge(user)

    def prepare_value(self, value: Any) -> Any:
        """The keys alone: a link may name what is none, and is then taken without it."""
        many = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        return [key for key in map(_key, many) if key is not None]


def _key(value: Any) -> int | None:
    return value.pk if isinstance(value, Run) else key_of(str(value))


def runs_to_judge(user: User) -> QuerySet[Run]:
    """The user's runs that have finished revisions, by dataset, the newest first; `done` says how
    many."""
    done = Count("revisions", filter=Q(revisions__state=Revision.State.DONE))
    return (
        Run.objects.visible_to(user)
        .select_related("dataset", "corpus")
        .annotate(done=done)
        .filter(done__gt=0)
        .order_by("dataset__name", "dataset", "-pk")
    )


def offered(field: forms.BoundField) -> Iterator[tuple[str, list[Offered]]]:
    """Dataset to its runs, each with whether it is chosen. One query."""
    chosen = set(field.value() or ())
    assert isinstance(field.field, RunsField)  # noqa: S101
    numbered = enumerate(field.field.queryset)
    for dataset, runs in groupby(numbered, key=lambda each: each[1].dataset):
        yield (
            dataset.name,
            [
                Offered(
                    run=run,
                    done=getattr(run, "done", 0),
                    is_chosen=run.pk in chosen,
                    number=number,
                )
                for number, run in runs
            ],
        )
