"""An estimate of a form's campaigns: items, raters, time, margin of error."""

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
from annotation.questionnaires.types import Questionnaire
from pipeline.metrics.inference import share_estimate
from pipeline.models import Revision, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    kind: Questionnaire
    campaign: Campaign
    """Unsaved."""
    selection: SelectionPreview
    seconds_each: float
    """Of an item."""
    refusal: str

    @property
    def submissions(self) -> int:
        """Submissions if raters never differ."""
        return self.selection.judged * self.campaign.raters_per_item


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    campaigns: tuple[Planned, ...]
    runs: tuple[Run, ...]
    raters_chosen: int

    @property
    def raters_needed(self) -> int:
        return max(each.campaign.raters_needed for each in self.campaigns)

    @property
    def lacks_raters(self) -> bool:
        return 0 < self.raters_chosen < self.raters_needed

    @property
    def sees_once(self) -> bool:
        """Whether raters are needed because each sees a passage only once."""
        return any(each.campaign.one_item_per_passage for each in self.campaigns)

    @property
    def raters(self) -> int:
        """The chosen raters, but at least as many as are needed."""
        return max(self.raters_chosen, self.raters_needed)

    @property
    def time_a_rater(self) -> str:
        good = [each for each in self.campaigns if not each.refusal]
        return in_words(sum(each.submissions * each.seconds_each for each in good) / self.raters)

    @property
    def passages(self) -> int:
        """The fewest passages of a run."""
        drawn = [stratum.drawn for each in self.campaigns for stratum in each.selection.strata]
        return min(filter(None, drawn), default=0)

    @property
    def margin(self) -> int:
        """Half of the widest 95 % interval of a share over `passages`, in points; 0 if unknown."""
        estimate = share_estimate(self.passages // 2, self.passages)
        if estimate is None or estimate.low is None or estimate.high is None:
            return 0
        return round(50 * (estimate.high - estimate.low))


def plan_of(form: SettingsForm, *, raters: int = 0, without: Campaign | None = None) -> Plan | None:
    """Preview a form's campaigns, ignoring wrong fields; None while no run is chosen.

    At most eight queries, and two for each questionnaire of which items can share answers.
    """
    form.is_valid()
    data = form.cleaned_data
    runs = sorted(data["runs"], key=lambda run: run.pk)
    if not runs:
        return None
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
    for kind in form.kinds_of(data):
        side = form.side_of(kind, data)
        if side not in counted:
            counted[side] = preview_selection(
                runs, side, sample_size=data.get("sample_size"), **excluded
            )
        preview = with_shared(counted[side], side, kind, **excluded)
        max_items = preview.items_per_passage
        if len(runs) == 1 and preview.items == preview.drawn:
            max_items = 1  # none has a second side
        units = units_of(kind, lengths["before" if side == "before" else "after"] or 0)
        planned.append(
            Planned(
                kind=kind,
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
                seconds_each=units * paces.get(kind.name, kind.assumed_seconds),
                refusal="" if preview.items else no_revision(runs, side),
            )
        )
    return Plan(campaigns=tuple(planned), runs=tuple(runs), raters_chosen=raters)
