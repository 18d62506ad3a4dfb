"""Campaigns over datasets without revision."""

import json
from pathlib import Path
from typing import Any

from django.core.management import call_command

from annotation.campaigns.lifecycle import start_campaign
from annotation.models import Campaign, Item
from pipeline.models import Dataset
from pipeline.runs.imported import get_unrevised_run
from tests.support.factories import make_dataset, make_user


def dataset_of(folder: Path, *lines: dict[str, Any]) -> Dataset:
    file, dataset = folder / "in.jsonl", make_dataset()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", dataset.slug)
    dataset.refresh_from_db()
    return dataset


def campaign_of(dataset: Dataset, questionnaire: str, sides: str = "both") -> Campaign:
    return start_campaign(
        name="Rivers",
        runs=[get_unrevised_run(dataset, created_by=None)],
        sides=sides,
        raters_per_item=1,
        created_by=make_user(role="researcher"),
        questionnaire=questionnaire,
    )


def items_of(campaign: Campaign) -> list[Item]:
    return list(campaign.items.order_by("revision", "-side"))
