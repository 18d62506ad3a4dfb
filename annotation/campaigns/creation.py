"""New campaigns, one for each questionnaire."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from annotation.campaigns import lifecycle
from annotation.items.ordering import seed_of
from annotation.models import Campaign
from annotation.questionnaires import QUESTIONNAIRES, load_questionnaire
from annotation.questionnaires.types import Questionnaire
from annotation.raters.memberships import add_member
from pipeline.models import Run
from pipeline.rarr.errors import BadConfig
from rarrweb.accounts.models import User


@transaction.atomic
def make_campaigns(
    *,
    questionnaires: Sequence[str],
    sides: Mapping[str, str],
    runs: Sequence[Run],
    created_by: User,
    raters: Sequence[User] = (),
    name: str = "",
    begins: bool = False,
    **chosen: Any,
) -> list[Campaign]:
    """Make a campaign for each questionnaire, over the same runs with the same raters.

    `sides` has what each questionnaire judges. The default name is that of the first dataset.
    One of intent follows that of attribution. `chosen` are other `lifecycle.SETTINGS` from
    `check_settings`. With `begins`, raises what `lifecycle.begin` does.
    """
    kinds = [load_questionnaire(each) for each in questionnaires]
    name = name or runs[0].dataset.name
    made: list[Campaign] = []
    for kind in kinds:
        of_kind = {option.name for option in kind.options}
        follows = None
        if kind.name == "intent":
            follows = next((each for each in made if each.questionnaire == "attribution"), None)
        values = {
            **chosen,
            "runs": runs,
            "name": name if len(kinds) == 1 else f"{name[:150]}: {kind.title.lower()}",
            "questionnaire": kind.name,
            "sides": sides[kind.name],
            "options": [each for each in chosen.get("options", ()) if each in of_kind],
        }
        if follows:
            values["seed"] = seed_of(follows)  # for the same pilot
        campaign = lifecycle.make_draft(**values, follows=follows, created_by=created_by)
        if begins:
            lifecycle.begin(campaign)
        for person in raters:
            add_member(campaign, user=person)
        made.append(campaign)
    return made


def check_settings(
    kinds: Sequence[Questionnaire], chosen: Mapping[str, Any], *, sides: Mapping[str, str]
) -> dict[str, Any]:
    """Drop settings without effect; raise `BadConfig` for the first fault.

    `sides` has what each questionnaire would judge.
    """
    for kind in kinds:
        if not sides[kind.name]:
            raise BadConfig("Choose what to judge.", field="sides")
        if sides[kind.name] not in kind.sides:
            raise BadConfig(f"{kind.title} takes one side: choose before or after.", field="sides")
    names = {option.name for kind in kinds for option in kind.options}
    defaults = {
        name for each in QUESTIONNAIRES for name in load_questionnaire(each).default_options
    }
    options = [each for each in chosen.get("options", ()) if each in names or each not in defaults]
    if not names.issuperset(options):
        titles = " and ".join(kind.title for kind in kinds)
        raise BadConfig(
            f"{titles} has no such answers: untick them, or choose another questionnaire.",
            field="options",
        )
    return {**chosen, "options": options, **_raters(kinds, chosen)}


def _raters(kinds: Sequence[Questionnaire], chosen: Mapping[str, Any]) -> dict[str, Any]:
    first, max_raters = chosen.get("raters_per_item", 1), chosen.get("max_raters")
    if not max_raters:
        return {}
    if not any(kind.decisive_criteria() for kind in kinds):
        raise BadConfig(
            "This questionnaire asks for texts, which always differ: leave it empty.",
            field="max_raters",
        )
    if first < 2:
        raise BadConfig(
            "One rater cannot disagree: begin with two raters per item, or leave it empty.",
            field="max_raters",
        )
    if max_raters < first:
        raise BadConfig(f"This is less than the {first} raters of every item.", field="max_raters")
    return {"max_raters": max_raters if max_raters > first else None}
