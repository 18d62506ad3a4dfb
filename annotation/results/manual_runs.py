"""Runs of manual revisions: RARR's human oracle as a system."""

from collections import defaultdict

from annotation.items.run_groups import links_of
from annotation.models import Campaign
from annotation.questionnaires.manual_revision import MANUAL_REVISION
from annotation.results.answers import read_answers
from pipeline.models import Revision, Run
from pipeline.runs.imported import get_manual_run
from pipeline.runs.start import RunRefused
from rarrweb.accounts.models import User


def manual_runs(campaign: Campaign, *, created_by: User) -> list[Run]:
    """Return a run for each run of a closed campaign, made if needed; raises `RunRefused`.

    Of several raters of an item, the first one's text counts.
    """
    if campaign.questionnaire != MANUAL_REVISION.name:
        raise RunRefused("Only a campaign of manual revisions makes a run.")
    if campaign.state != Campaign.State.CLOSED:
        raise RunRefused("Close the campaign first: a run takes its final texts.")
    criterion = MANUAL_REVISION.result_criterion
    texts = {
        each.revision: each.texts[0].get((criterion, 0), "")
        for each in read_answers([criterion], campaign=campaign)
    }
    by_run: dict[int, dict[int, str]] = defaultdict(dict)
    for revision, run in Revision.objects.filter(pk__in=texts).values_list("pk", "run_id"):
        by_run[run][revision] = texts[revision]
    if not by_run:
        raise RunRefused("No passage of this campaign is revised.")
    name = f"the campaign {campaign.name}"
    return [
        get_manual_run(link.run, by_run[link.run_id], name=name, created_by=created_by)
        for link in links_of(campaign)
        if link.run_id in by_run
    ]
