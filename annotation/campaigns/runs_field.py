"""A field of runs to judge."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet

from pipeline.models import Revision, Run
from rarrweb.accounts.models import User
from rarrweb.web.paging import key_of


class RunsField(forms.ModelMultipleChoiceField):
    """Runs with finished revisions; rendered by annotation/_runs.html."""

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

    def prepare_value(self, value: Any) -> Any:
        """Return the keys, dropping values that are none."""
        many = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        keys = [each.pk if isinstance(each, Run) else key_of(str(each)) for each in many]
        return [key for key in keys if key is not None]


def runs_to_judge(user: User) -> QuerySet[Run]:
    """Runs with finished revisions, by dataset, newest first, annotated with `done`."""
    done = Count("revisions", filter=Q(revisions__state=Revision.State.DONE))
    return (
        Run.objects.visible_to(user)
        .current()
        .select_related("dataset", "corpus")
        .annotate(done=done)
        .filter(done__gt=0)
        .order_by("dataset__name", "dataset", "-pk")
    )


def offered(field: forms.BoundField) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Group the runs by dataset, each with whether it is chosen. One query.

    A run has its number of revised passages and its position.
    """
    chosen = set(field.value() or ())
    assert isinstance(field.field, RunsField)  # noqa: S101
    numbered = enumerate(field.field.queryset or ())
    for dataset, runs in groupby(numbered, key=lambda each: each[1].dataset):
        choices = [
            {"run": run, "done": run.done, "is_chosen": run.pk in chosen, "number": number}
            for number, run in runs
        ]
        yield dataset.name, choices
