"""A preview of a form's campaigns: items, raters, hours."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Avg
from django.db.models.functions import Length

from annotation.campaigns.forms import SettingsForm
from annotation.items.selection import (
    SelectionPreview,
    no_revision,
    preview_selection,
    with_shared,
)
from annotation.judging.pace import in_words, measured_paces, units_of
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire
from pipeline.models import Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    kind: Questionnaire
    is_chosen: bool
    campaign: Campaign
    """Unsaved."""
    selection: SelectionPreview
    units: float
    """An item takes `units` times `seconds_each`."""
    seconds_each: float
    is_measured: bool
    """Else assumed."""
    raters_chosen: int
    refusal: str

    @property
    def raters(self) -> int:
        """The chosen raters, but at least as many as are needed."""
        return max(self.raters_chosen, self.campaign.raters_needed)

    @property
    def lacks_raters(self) -> bool:
        return 0 < self.raters_chosen < self.campaign.raters_needed

    @property
    def submissions(self) -> int:
        """Submissions if raters never differ."""
        return self.selection.judged * self.campaign.raters_per_item

    @property
    def seconds_a_rater(self) -> float:
        return self.submissions * self.units * self.seconds_each / self.raters

    @property
    def time_a_rater(self) -> str:
        return in_words(self.seconds_a_rater)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    campaigns: tuple[Planned, ...]

    @property
    def chosen(self) -> list[Planned]:
        return [each for each in self.campaigns if each.is_chosen]

    @property
    def lacks_raters(self) -> bool:
        return any(each.lacks_raters for each in self.chosen)

    @property
    def time_a_rater(self) -> str:
        return in_words(sum(each.seconds_a_rater for each in self.chosen if not each.refusal))


def plan_of(form: SettingsForm, *, raters: int = 0, without: Campaign | None = None) -> Plan | None:
    """Preview a form's campaigns, ignoring wrong fields; None while no run is chosen.

    At most eight queries, and two for each questionnaire of which items can share answers.
    """
    form.is_valid()
    data = form.cleaned_data
    runs = sorted(data.get("runs") or data.get("run") or (), key=lambda run: run.pk)
    if not runs:
        return None
    chosen = {kind.name for kind in form.kinds_of(data)}
    paces = measured_paces()
    lengths = (
        Revision.objects.filter(run__in=runs, state=Revision.State.DONE)
        .order_by()
        .aggregate(before=Avg(Length("original_text")), after=Avg(Length("text")))
    )
    counted: dict[str, SelectionPreview] = {}
    excluded: dict[str, Any] = {
        "without": without,
        "leave_out": data.get("excluded_problems") or (),
    }
    planned = []
    for kind in map(load_questionnaire, QUESTIONNAIRES):
        side = form.side_of(kind, data)
        can_judge = side in kind.sides
        side = side if can_judge else kind.sides[0]
        if side not in counted:
            counted[side] = preview_selection(
                runs,
                side,
                sample_size=data.get("sample_size"),
                allocation=data.get("allocation") or Campaign.Allocation.PROPORTIONAL,
                **excluded,
            )
        preview = with_shared(counted[side], side, kind, **excluded)
        max_items = preview.items_per_passage
        if len(runs) == 1 and preview.items == preview.drawn:
            max_items = 1  # none has a second side
        refusal = ""
        if not can_judge and kind.sides[0] == Campaign.Side.BOTH:
            refusal = "Choose what to judge."
        elif not can_judge:
            refusal = f"{kind.title} takes one side: choose before or after."
        elif "sample_size" in form.errors:
            refusal = " ".join(str(each) for each in form.errors["sample_size"])
        elif not preview.items and (why := no_revision(runs, side)):
            refusal = why
        planned.append(
            Planned(
                kind=kind,
                is_chosen=kind.name in chosen,
                campaign=Campaign(
                    sides=side,
                    raters_per_item=data.get("raters_per_item") or 1,
                    pilot_size=data.get("pilot_size") or 0,
                    pilot_raters=data.get("pilot_raters") or 3,
                    may_repeat_passages=bool(data.get("may_repeat_passages")),
                    items_per_passage=max_items,
                    item_count=preview.judged,
                ),
                selection=preview,
                units=units_of(kind, lengths["before" if side == "before" else "after"] or 0),
                seconds_each=paces.get(kind.name, kind.assumed_seconds),
                is_measured=kind.name in paces,
                raters_chosen=raters,
                refusal=refusal,
            )
        )
    return Plan(campaigns=tuple(planned))
