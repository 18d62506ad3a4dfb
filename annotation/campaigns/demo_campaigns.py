"""The demo's two campaigns: five passages to judge, and five pairs to compare, ready to begin."""

import json
import tempfile
import time
from pathlib import Path

from annotation.campaigns.demo import PEOPLE, make_dataset
from annotation.campaigns.lifecycle import start_campaign
from annotation.models import Campaign
from annotation.raters.memberships import add_member
from pipeline.data.corpora import find_corpus
from pipeline.data.datasets import find_dataset
from pipeline.demo_data import CORPUS, PASSAGES
from pipeline.engine.configuration import RunConfig
from pipeline.models import Dataset, Revision, Run
from pipeline.runs import start
from pipeline.runs.execution import revise
from rarrweb.accounts.models import User

DATASET = "Demo: five to judge"
FIVE = ("factoid-01", "factoid-04", "factoid-09", "reasoning-05", "dialog-02")
"""Short ones of each kind, with errors that the demo encyclopedia can correct."""
CAMPAIGNS = (
    ("Demo: is it supported?", "attribution", "after"),
    ("Demo: is it still the same story?", "intent", "pair"),
)
LONGEST_WAIT = 120.0
"""Seconds, for passages that a worker has taken up before this process could."""


class CannotJudge(Exception):
    """The demo's campaigns cannot be made; says why, in a plain sentence."""


def make_demo_campaigns() -> list[Campaign]:
    """Revise five of the demo's passages, here and now, and open both campaigns over them.

    The demo's annotator is a rater of both. Returns campaigns that are already there as they are.
    Raises `CannotJudge`.
    """
    made = list(Campaign.objects.filter(runs__dataset__name=DATASET).order_by("pk"))
    if made:
        return made
    names = [person.username for person in PEOPLE[1:]]
    people = {person.username: person for person in User.objects.filter(username__in=names)}
    researcher, annotator = map(people.get, names)
    if researcher is None or annotator is None:
        raise CannotJudge("The demo's accounts are gone, so nobody could lead or judge.")
    run = _revised(find_dataset(DATASET) or _make_dataset(researcher), researcher)
    campaigns = []
    for name, questionnaire, sides in CAMPAIGNS:
        campaign = start_campaign(
            name=name,
            runs=[run],
            sides=sides,
            raters_per_item=1,
            questionnaire=questionnaire,
            created_by=researcher,
        )
        add_member(campaign, user=annotator)
        campaigns.append(campaign)
    return campaigns


def _make_dataset(created_by: User) -> Dataset:
    lines = PASSAGES.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if json.loads(line)["id"] in FIVE]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "five.jsonl"
        source.write_text("".join(f"{line}\n" for line in wanted), encoding="utf-8")
        return make_dataset(
            DATASET,
            "Five of the demo passages, revised at once so that there is work for raters.",
            source,
            created_by=created_by,
        )


def _revised(dataset: Dataset, created_by: User) -> Run:
    """A run over the dataset, carried out by this process and by whatever workers there are."""
    try:
        run = start.start_run(
            dataset=dataset,
            corpus=find_corpus(CORPUS),
            config=RunConfig.from_settings(),
            created_by=created_by,
        )
    except start.RunRefused as refused:
        raise CannotJudge(f"The five passages cannot be revised: {refused}") from None
    for revision_id in run.revisions.order_by("pk").values_list("pk", flat=True):
        revise(revision_id)
    over = [Revision.State.DONE, Revision.State.FAILED]
    until = time.monotonic() + LONGEST_WAIT
    while run.revisions.exclude(state__in=over).exists():
        if time.monotonic() > until:
            raise CannotJudge(
                f"Run {run.pk} is not finished yet. When it is, start a campaign from its page."
            )
        time.sleep(0.5)
    failed = run.revisions.filter(state=Revision.State.FAILED)
    if failed.count() == len(FIVE):
        raise CannotJudge(
            f"None of the five passages could be revised: {failed[0].failure_message}"
        )
    return run
