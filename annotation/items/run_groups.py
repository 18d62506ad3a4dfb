"""A campaign's runs, and their groups in results."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from annotation.models import Campaign, CampaignRun

RUNS = Prefetch(
    "run_links",
    queryset=CampaignRun.objects.select_related("run__dataset", "run__corpus").order_by("run_id"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    kind: str
    """`system`, `dataset` or `run`."""
    label: str
    runs: frozenset[int]


def links_of(campaign: Campaign) -> list[CampaignRun]:
    """Return the links to runs, oldest first, with datasets and corpora. One query, once."""
    prefetch_related_objects([campaign], RUNS)
    return list(campaign.run_links.all())


def with_runs(campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Prefetch what `links_of` returns."""
    return campaigns.prefetch_related(RUNS)


def groups_of(campaign: Campaign) -> list[Group]:
    """Group by system, dataset and run, each if there are several."""
    links = links_of(campaign)
    systems = _grouped("system", ((link.run.system, link.run_id) for link in links))
    datasets = _grouped("dataset", ((link.run.dataset.name, link.run_id) for link in links))
    groups = [each for kind in (systems, datasets) if len(kind) > 1 for each in kind]
    if len(links) > max(len(systems), len(datasets)):
        groups += [
            Group(kind="run", label=name_of(link), runs=frozenset({link.run_id})) for link in links
        ]
    return groups


def name_of(link: CampaignRun) -> str:
    return f"run {link.run_id}: {link.run.system} over {link.run.dataset.name}"


def _grouped(kind: str, named: Iterable[tuple[str, int]]) -> list[Group]:
    runs: dict[str, set[int]] = {}
    for label, run in named:
        runs.setdefault(label, set()).add(run)
    return [Group(kind=kind, label=label, runs=frozenset(of)) for label, of in runs.items()]
