"""Every target of load and size, measured, in one table; exit status 1 where one is missed.

    python -m tests.load.targets --database-url postgres://… [--items 100000] [--minutes 30]
        [--only start,imports,judged,crowd]

Without `--database-url` all of it runs on SQLite, with 20 raters in place of 100. Four parts, each
on a database of its own that is filled first:

- `start`: an empty installation until its first page, and its memory when idle;
- `imports`: generated HAGRID lines, a tenth of `--items` and all of them; the same again; one more;
- `judged`: a campaign of `--items` items, three raters each, one answer each: exports, lists and
  their filters, the pages of the researcher, reliability, the page of a task;
- `crowd`: raters who judge for `--minutes` in a campaign of `--items` items, as
  `tests.load.raters` does it: how long they wait, and whether anything was lost.

Each part prints all that it measured; the table at the end has the targets.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from tests.bench import exports, importing, start
from tests.load.page_weight import bytes_of_visits
from tests.load.raters import machine
from tests.load.server import disconnect, own_place, prepare, serving
from tests.load.timings import Timings, percentile, table
from tests.support.installation import own_database

RATERS_AN_ITEM = 3
OPEN = "open"
"""The campaign in which an item is left to judge."""


@dataclass(frozen=True, kw_only=True)
class Row:
    name: str
    measured: float
    most: float
    """The target: not more than this."""
    unit: str = "ms"

    @property
    def is_met(self) -> bool:
        return self.measured <= self.most

    def __str__(self) -> str:
        figures = (f"{value:>12,.4g} {self.unit:<3}" for value in (self.most, self.measured))
        return f"{self.name:<64}{''.join(figures)}  {'yes' if self.is_met else 'NO'}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database-url", default="", help="a PostgreSQL server; else SQLite")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--raters", type=int, help="at once: else 100, on SQLite 20")
    parser.add_argument("--minutes", type=float, default=30, help="of the crowd")
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds before a click")
    parser.add_argument("--only", default=",".join(PARTS), help="some of the parts")
    options = parser.parse_args()
    options.raters = options.raters or (100 if options.database_url else 20)
    print(machine())
    rows: list[Row] = []
    for part in options.only.split(","):
        print(f"\n== {part}, {time.strftime('%d %B %Y %H:%M')}\n", flush=True)
        rows += PARTS[part](options)
    print(f"\n{'':<64}{'at most':>12}    {'measured':>12}     met")
    print(*rows, sep="\n")
    return 0 if all(row.is_met for row in rows) else 1


def started(options: argparse.Namespace) -> Iterator[Row]:
    seconds, memory = start.measured(3)
    yield Row(name="start until the first page", measured=seconds, most=5, unit="s")
    yield Row(
        name=f"memory of web and workers when idle, {len(memory)} processes (PSS)",
        measured=sum(memory.values()), most=250, unit="MB",
    )  # fmt: skip


def imported(options: argparse.Namespace) -> Iterator[Row]:
    for count, most in ((options.items // 10, 20), (options.items, 240)):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rarrweb-load-"))
            server = options.database_url
            url = stack.enter_context(own_database(server)) if server else ""
            path = Path(folder) / "hagrid.jsonl"
            importing.write_lines(path, count)
            found = importing.measure(importing.PRODUCT, path, importing.HERE, url)
        print({name: round(value, 2) for name, value in found.items()})
        what = f"import of {count:,} items"
        yield Row(name=what, measured=found["first"], most=most, unit="s")
        again = 100 * found["second"] / found["first"]
        yield Row(name=f"{what} again, of the first time", measured=again, most=30, unit="%")
        yield Row(name=f"{what} again: new rows", measured=found["second rows"], most=0, unit="")
        yield Row(name=f"{what}: more memory", measured=found["growth"] / 1e6, most=150, unit="MB")
        yield Row(name=f"one item more into {count:,}", measured=found["one more"] * 1000, most=200)


def judged(options: argparse.Namespace) -> Iterator[Row]:
    with own_place(options.database_url, keep=False) as folder:
        prepare()
        begun = time.perf_counter()
        judgments = exports.fill(options.items, raters=RATERS_AN_ITEM, answers=1)
        seconds = time.perf_counter() - begun
        print(f"{options.items:,} items, {judgments:,} judgments: filled in {seconds:.0f} s")
        yield from _exported()
        yield from _counted(judgments)
        yield from _page_of_a_task(folder)
        yield from _viewed(folder, options.items)
        disconnect()


def _exported() -> Iterator[Row]:
    for name in ("csv", "hagrid", "parquet"):
        found = exports.measured_apart(name)
        print(name, {what: round(value, 2) for what, value in found.items()})
        yield Row(name=f"export as {name}", measured=found["seconds"], most=90, unit="s")
        first = found["first"]
        yield Row(name=f"export as {name}: first byte", measured=first, most=1, unit="s")
        growth = found["growth"] / 1e6
        yield Row(name=f"export as {name}: more memory", measured=growth, most=100, unit="MB")


def _counted(judgments: int) -> Iterator[Row]:
    from annotation.models import Campaign
    from annotation.results.reliability import campaign_reliability

    campaign = Campaign.objects.get(slug=exports.SLUG)
    begun = time.perf_counter()
    found = campaign_reliability(campaign)
    seconds = time.perf_counter() - begun
    assert found.criteria, found.missing
    yield Row(name=f"reliability of {judgments:,} judgments", measured=seconds, most=10, unit="s")


def _page_of_a_task(folder: Path) -> Iterator[Row]:
    from django.conf import settings

    from rarrweb.accounts.models import User
    from tests.bench.lists import cost
    from tests.load.alone import logged_in
    from tests.load.filling import make_campaign

    people = {each.username: each for each in User.objects.all()}
    make_campaign(
        OPEN, items=100, per_item=1,
        researcher=people["researcher"], raters=[people["rater-001"]],
    )  # fmt: skip
    with serving(folder) as server:
        rater = logged_in(server.url, "rater-001")
        page = rater.post_form(f"/tasks/next/?campaign={OPEN}", read="yes").location
        first, later = bytes_of_visits(rater, page)
        rater.close()
    settings.ALLOWED_HOSTS = ["*"]
    queries, _ = cost(page, "rater-001")
    yield Row(name="page of a task: queries", measured=queries, most=12, unit="")
    yield Row(name="first visit of a task, all it needs", measured=first / 1e3, most=100, unit="KB")
    yield Row(name="later visit of a task", measured=later / 1e3, most=100, unit="KB")


def _viewed(folder: Path, items: int) -> Iterator[Row]:
    from annotation.models import Campaign
    from tests.load.alone import logged_in, view_pages

    slug = exports.SLUG
    run = Campaign.objects.get(slug=slug).runs.get().pk
    deep = items // 50  # the page in the middle, of 25 rows
    lists = {
        "items": f"/campaigns/{slug}/items/",
        "items, complete": f"/campaigns/{slug}/items/?state=complete",
        "items, split": f"/campaigns/{slug}/items/?state=split",
        "items, middle": f"/campaigns/{slug}/items/?page={deep}",
        "passages": f"/datasets/{slug}/",
        "passages, sorted": f"/datasets/{slug}/?sort=id",
        "passages, search": f"/datasets/{slug}/?{urlencode({'q': 'zeppelin'})}",
        "revisions": f"/runs/{run}/revisions/",
        "revisions, sorted": f"/runs/{run}/revisions/?sort=-attribution",
        "revisions, changed": f"/runs/{run}/revisions/?filter=changed",
        "queue of splits": f"/adjudicate/?campaign={slug}",
    }
    own = {
        "own items": "/tasks/",
        "own items, begun": "/tasks/?show=begun",
        "own items, middle": f"/tasks/?page={deep}",
    }
    dashboards = {
        "home": "/",
        "campaigns": "/campaigns/",
        "a campaign": f"/campaigns/{slug}/",
        "raters": f"/campaigns/{slug}/raters/",
        "results": f"/campaigns/{slug}/results/",
        "reliability": f"/campaigns/{slug}/reliability/",
    }
    timings = Timings()
    with serving(folder, with_worker=True) as server:
        researcher, rater = (logged_in(server.url, who) for who in ("researcher", "rater-001"))
        for pages, who in ((lists, researcher), (own, rater), (dashboards, researcher)):
            view_pages({name: (who, path) for name, path in pages.items()}, timings)
        rater.close()
        researcher.close()
    print(table({f"{items:,} items": timings}))
    yield _slowest("lists and filters", timings, lists | own, most=300)
    yield _slowest("dashboards", timings, dashboards, most=500)
    first = {f"{name}, first": path for name, path in (lists | own | dashboards).items()}
    yield _slowest("first views of all", timings, first, most=1000)


def _slowest(what: str, timings: Timings, pages: Mapping[str, str], *, most: float) -> Row:
    worst = {name: percentile(timings.of(name), 0.95) for name in pages}
    name = max(worst, key=lambda page: worst[page])
    label = f"{what}: p95 of the slowest ({name})"
    return Row(name=label, measured=worst[name] * 1000, most=most)


def crowd(options: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="rarrweb-load-") as folder:
        out = Path(folder) / "found.json"
        command = [sys.executable, "-m", "tests.load.raters", "--raters", str(options.raters)]
        command += ["--items", str(options.items), "--per-item", str(RATERS_AN_ITEM)]
        command += ["--minutes", str(options.minutes), "--think", str(options.think)]
        command += ["--database-url", options.database_url, "--json", str(out)]
        subprocess.run(command, check=False)
        found = json.loads(out.read_text())
    who = f"{options.raters} raters"
    for name, most in (("save", 80), ("submit", 50), ("task page", 200), ("next task", 200)):
        seconds = found["seconds"][name]
        label = f"{who}, {name} p95 (p50 {percentile(seconds, 0.5) * 1000:.0f}, "
        label += f"p99 {percentile(seconds, 0.99) * 1000:.0f}; n {len(seconds):,})"
        yield Row(name=label, measured=percentile(seconds, 0.95) * 1000, most=most)
    label = f"{who}, {found['answers']:,} answers: lost, repeated, refused"
    yield Row(name=label, measured=sum(found["wrong"].values()), most=0, unit="")


PARTS = {"start": started, "imports": imported, "judged": judged, "crowd": crowd}

if __name__ == "__main__":
    sys.exit(main())
