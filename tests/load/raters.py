"""Simulated raters against the product's own server, and whether a click was lost.

    python -m tests.load.raters --raters 50 --items 2000 --per-item 3 [--think 1.0]
        [--database-url postgres://…] [--minutes 60] [--baseline 20]
    python -m tests.load.raters --one-at-a-time --items 1000,10000,100000

The first form makes a database of its own (a fresh one on the given PostgreSQL server, else a
SQLite file), fills it with made items of five sentences and five pieces of evidence, starts
`manage.py serve`, logs raters in and lets each judge until nothing is left. Then it compares the
database with every answer that the server had acknowledged, and reads the server's log. Exit
status: 0 nothing lost, repeated or refused; 1 something was.

`--think` is the mean of the seconds before a click (each drawn between half and one and a half of
it); with 0 every rater clicks as fast as the server answers, which measures how many requests it
can do and how long they then wait in line, and not what a person would feel. `--baseline N`: one
rater alone does N items in a campaign of their own first, on the same server.

The second form measures one person at a time on nearly finished campaigns of several sizes, each
in a database of its own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.memory import pss_of_all
from tests.load.server import cpu_seconds_of_children, disconnect, prepare, serving, temporary_state
from tests.load.timings import Timings, table

Findings = dict[str, Any]
"""What `--json` writes: the `seconds` of every request by what was asked, how often each thing
went `wrong`, and what else was counted."""
HISTORY_RATERS = 50
"""Who did what is done already, in the second form."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--items", default="2000", help="a number; several with --one-at-a-time")
    parser.add_argument("--per-item", type=int, default=3, help="raters an item")
    parser.add_argument("--database-url", default="", help="a PostgreSQL server; else SQLite")
    parser.add_argument("--think", type=float, default=1.0, help="mean seconds before a click")
    parser.add_argument("--minutes", type=float, default=60, help="stop the raters after")
    parser.add_argument("--baseline", type=int, default=20, help="items of one rater alone, first")
    parser.add_argument("--one-at-a-time", action="store_true")
    parser.add_argument("--port", type=int, help="of the server; else any that is free")
    parser.add_argument("--keep", action="store_true", help="leave the database, and say where")
    parser.add_argument("--json", type=Path, help="write what was found there")
    options = parser.parse_args()
    sizes = [int(size) for size in options.items.split(",")]
    if len(sizes) > 1:
        return _each_size(options, sizes)
    print(machine())
    with temporary_state(options.database_url, keep=options.keep) as folder:
        prepare()
        result = (_alone if options.one_at_a_time else _crowd)(options, sizes[0], folder)
        disconnect()
    if options.json:
        options.json.write_text(json.dumps(result))
    return 1 if any(result["wrong"].values()) else 0


def _crowd(options: argparse.Namespace, items: int, folder: Path) -> Findings:
    from tests.load.checking import findings
    from tests.load.crowd import judge_together, simulated
    from tests.load.filling import make_campaign, make_people

    begun = time.perf_counter()
    researcher, raters = make_people(options.raters)
    campaign = make_campaign(
        "crowd", items=items, per_item=options.per_item, researcher=researcher, raters=raters
    )
    if options.baseline:
        make_campaign(
            "alone", items=options.baseline, per_item=1, researcher=researcher, raters=raters[:1]
        )
    print(f"filled in {time.perf_counter() - begun:.0f} s: {items:,} items")
    names = [rater.username for rater in raters]
    columns = {}
    with serving(folder, port=options.port) as server:
        if options.baseline:
            one = simulated(
                names[:1], url=server.url, campaign="alone", think=0.0, timings=Timings()
            )
            columns["one rater"] = judge_together(one, minutes=10).timings
        crowd = simulated(
            names, url=server.url, campaign="crowd", think=options.think, timings=Timings()
        )
        outcome = judge_together(crowd, minutes=options.minutes)
        columns[f"{options.raters} raters"] = outcome.timings
        memory = pss_of_all(server.process.pid)
    server_cpu = cpu_seconds_of_children()
    faults = server.faults()

    thinking = f"{options.think:g} s of thinking a click" if options.think else "no thinking"
    print(f"\n{options.raters} raters, {thinking}, {_database()}\n")
    print(table(columns))
    print(
        f"\n{outcome.submitted:,} items submitted, {len(outcome.acknowledged):,} answers, "
        f"{outcome.requests:,} requests in {outcome.seconds:.0f} s: "
        f"{outcome.requests / outcome.seconds:.0f} requests/s\n"
        f"CPU: server {server_cpu:.0f} s ({server_cpu / max(1, outcome.requests) * 1000:.1f} ms a "
        f"request, its start, log-ins and baseline included), simulated raters "
        f"{outcome.client_cpu:.0f} s, of {outcome.seconds:.0f} s on {os.cpu_count()} cores\n"
    )
    for label, megabytes in memory.items():
        print(f"{megabytes:>8.1f}  MB, {label.strip()}")
    is_finished = outcome.submitted == items * options.per_item
    wrong = findings(campaign, outcome.acknowledged, is_finished=is_finished)
    wrong |= {"HTTP errors": len(outcome.errors), "faults in the server's log": len(faults)}
    for name, count in wrong.items():
        print(f"{count:>8,}  {name}")
    if not is_finished:
        print(f"(stopped after {options.minutes:g} min: {outcome.submitted:,} submitted)")
    for line in [*outcome.errors[:10], *faults[:10]]:
        print(f"  {line}")
    return {
        "seconds": outcome.timings.all(),
        "wrong": wrong,
        "memory": memory,
        "answers": len(outcome.acknowledged),
        "submitted": outcome.submitted,
    }


def _alone(options: argparse.Namespace, items: int, folder: Path) -> Findings:
    from tests.load import alone
    from tests.load.filling import add_progress, make_campaign, make_people

    begun = time.perf_counter()
    researcher, raters = make_people(HISTORY_RATERS, "newcomer")
    campaign = make_campaign(
        "grown", items=items, per_item=options.per_item, researcher=researcher, raters=raters
    )
    add_progress(campaign, [rater for rater in raters if rater.username != "newcomer"])
    print(f"filled in {time.perf_counter() - begun:.0f} s: {items:,} items")
    with serving(folder, port=options.port, with_worker=True) as server:
        timings, errors = alone.measure(server.url, campaign="grown")
    faults = server.faults()
    print(f"\none at a time, {_database()}\n")
    print(table({f"{items:,} items": timings}))
    for line in [*errors, *faults]:
        print(f"  {line}")
    return {"seconds": timings.all(), "wrong": {"errors": len(errors), "faults": len(faults)}}


def _each_size(options: argparse.Namespace, sizes: list[int]) -> int:
    columns = {}
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            out = Path(folder) / f"{size}.json"
            command = [sys.executable, "-m", "tests.load.raters", "--items", str(size)]
            command += ["--one-at-a-time", "--per-item", str(options.per_item)]
            command += ["--database-url", options.database_url, "--json", str(out)]
            command += ["--port", str(options.port)] if options.port else []
            command += ["--keep"] if options.keep else []
            worst = max(worst, subprocess.run(command, check=False).returncode)
            timings = Timings()
            result = json.loads(out.read_text())["seconds"] if out.exists() else {}
            for name, seconds in result.items():
                for each in seconds:
                    timings.add(name, each)
            columns[f"{size:,} items"] = timings
    print(f"\n{table(columns)}")
    return worst


def _database() -> str:
    from django.db import connection

    version = connection.cursor().connection
    if connection.vendor == "postgresql":
        return f"PostgreSQL {version.info.server_version // 10000}"
    import sqlite3

    return f"SQLite {sqlite3.sqlite_version}"


def machine() -> str:
    load = ", ".join(f"{one:.2f}" for one in os.getloadavg())
    python = platform.python_version()
    return f"{os.cpu_count()} cores, Python {python}, load average before: {load}"


if __name__ == "__main__":
    sys.exit(main())
