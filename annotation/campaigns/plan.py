"""What a form's campaigns would ask of raters, before any of them starts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.campaigns.certainty import Certainty, certainty_of, read_score_spread
from annotation.campaigns.forms import SettingsForm
from annotation.items.amounts import Amount, amount_of, read_sample
from annotation.items.selection import (
    Outlook,
    most_items_a_passage,
    no_revision,
    outlook,
)
from annotation.judging.pace import in_words, measured_paces
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One campaign as it would be."""

    kind: Questionnaire
    is_chosen: bool
    campaign: Campaign
    """Not stored."""
    outlook: Outlook
    amount: Amount
    seconds_each: float
    measured_on: int
    """Items handed in that `seconds_each` rests on; 0 where it is assumed."""
    raters_chosen: int
    refusal: str
    certainty: Certainty | None
    """A guess, of Attr_AIS; None for other questionnaires, and where auto-AIS is not known."""

    @property
    def raters(self) -> int:
        """Raters that the work is shared by: those chosen, but as many as it takes at least."""
        return max(self.raters_chosen, self.campaign.raters_needed)

    @property
    def lacks_raters(self) -> bool:
        """Whether people are chosen, and they cannot judge everything."""
        return 0 < self.raters_chosen < self.campaign.raters_needed

    @property
    def submissions(self) -> int:
        """Items that raters hand in altogether, where none of them differ."""
        return self.outlook.items * self.campaign.raters_per_item

    @property
    def seconds_a_rater(self) -> float:
        work = self.amount.units * self.campaign.raters_per_item * self.seconds_each
        return work / self.raters

    @property
    def time_a_rater(self) -> str:
        return in_words(self.seconds_a_rater)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All campaigns that a form could make, chosen or not."""

    campaigns: tuple[Planned, ...]

    @property
    def chosen(self) -> list[Planned]:
        return [each for each in self.campaigns if each.is_chosen]

    @property
    def lacks_raters(self) -> bool:
        """Whether any campaign would have too few."""
        return any(each.lacks_raters for each in self.chosen)

    @property
    def time_a_rater(self) -> str:
        """Of all that are chosen, where each is shared by as many raters."""
        return in_words(sum(each.seconds_a_rater for each in self.chosen if not each.refusal))


def plan_of(form: SettingsForm, *, raters: int = 0, without: Campaign | None = None) -> Plan | None:
    """The plan of a form as far as it is filled in; None as long as no run is chosen.

    Nine queries at most; nothing is written, and what a field says wrong is left out.
    """
    form.is_valid()
    data = form.cleaned_data
    runs = sorted(data.get("runs") or data.get("run") or (), key=lambda run: run.pk)
    if not runs:
        return None
    chosen = {kind.name for kind in form.kinds_of(data)}
    sample, paces = read_sample(runs), measured_paces()
    counted: dict[str, Outlook] = {}
    planned = []
    for kind in map(load_questionnaire, QUESTIONNAIRES):
        side = form.side_of(kind, data)
        can_judge = side in kind.sides
        side = side if can_judge else kind.sides[0]
        if side not in counted:
            counted[side] = outlook(
                runs,
                side,
                sample_size=data.get("sample_size"),
                allocation=data.get("allocation") or Campaign.Allocation.PROPORTIONAL,
                without=without,
                leave_out=data.get("leaves_out_problems") or (),
            )
        found = counted[side]
        amount = amount_of(sample, side, kind, found)
        most = most_items_a_passage(runs, side)
        if len(runs) == 1 and found.items == found.drawn:
            most = 1  # none has a second side
        campaign = _campaign(data, side, found, most)
        pace, measured_on = paces.get(kind.name, (kind.assumed_seconds, 0))
        refusal = ""
        if not can_judge and kind.sides[0] == Campaign.Side.BOTH:
            refusal = "Choose what to judge."
        elif not can_judge:
            refusal = f"{kind.title} takes one side: choose before or after."
        elif "sample_size" in form.errors:
            refusal = " ".join(str(each) for each in form.errors["sample_size"])
        elif not found.items and (why := no_revision(runs, side)):
            refusal = why
        elif amount.unmet is not None and not amount.is_estimate:
            refusal = amount.unmet.refusal
        planned.append(
            Planned(
                kind=kind,
                is_chosen=kind.name in chosen,
                campaign=campaign,
                outlook=found,
                amount=amount,
                seconds_each=pace,
                measured_on=measured_on,
                raters_chosen=raters,
                refusal=refusal,
                certainty=certainty_of(found, read_score_spread(runs, side))
                if kind.name == "attribution" and not refusal
                else None,
            )
        )
    return Plan(campaigns=tuple(planned))


def _campaign(data: Mapping[str, Any], side: str, found: Outlook, items: int) -> Campaign:
    return Campaign(
        sides=side,
        raters_per_item=data.get("raters_per_item") or 1,
        pilot_size=data.get("pilot_size") or 0,
        pilot_raters=data.get("pilot_raters") or 3,
        may_repeat_passages=bool(data.get("may_repeat_passages")),
        items_per_passage=items,
        item_count=found.items,
    )
