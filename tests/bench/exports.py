"""What an export costs: seconds, first byte, and by how much the process grows.

    python -m tests.bench.exports [--items 100000] [--answers 1] [--raters 3] [--database-url …]

Fills a database of its own (a fresh one on the given PostgreSQL server, else a SQLite file) with a
campaign whose items have five sentences and five pieces of evidence each, judged by `--raters`;
each of them answers about the first `--answers` sentences, and with 10 about every sentence and
every piece of evidence. Then each format is written by a process of its own. `plain loop` is the
baseline of the same run: Django's own rows of the same judgments, straight into `csv.writer`.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.memory import forget_peak, most_resident, resident
from tests.load.server import own_place, prepare

SLUG = "bench"
PLAIN = "plain loop"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--raters", type=int, default=3)
    parser.add_argument("--answers", type=int, default=1, help="of each rater, 1 to 5, or 10")
    parser.add_argument("--formats", default="csv,hagrid,parquet")
    parser.add_argument("--database-url", default="", help="a PostgreSQL server; else SQLite")
    parser.add_argument("--keep", action="store_true", help="leave the database, and say where")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        sys.meta_path.insert(0, _WithoutPandas())
        prepare()
        print(json.dumps(measured(options.one)))
        return
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with own_place(options.database_url, keep=options.keep):
        prepare()
        begun = time.perf_counter()
        judgments = fill(options.items, raters=options.raters, answers=options.answers)
        print(
            f"{options.items:,} items, {judgments:,} judgments: "
            f"filled in {time.perf_counter() - begun:.0f} s\n"
            f"{'':12}{'seconds':>10}{'of CPU':>8}{'first byte':>13}{'MB written':>12}"
            f"{'MB more memory':>16}"
        )
        for name in (PLAIN, *options.formats.split(",")):
            row = measured_apart(name)
            print(
                f"{name:12}{row['seconds']:>10.1f}{row['cpu']:>8.1f}{row['first'] * 1000:>10.0f} ms"
                f"{row['bytes'] / 1e6:>12.1f}{row['growth'] / 1e6:>16.1f}"
            )


class _WithoutPandas:
    """Arrow loads pandas (44 MB) where it finds it; the tests install it, the product does not."""

    def find_spec(self, name: str, *args: object) -> None:
        if name.partition(".")[0] == "pandas":
            raise ImportError(name)


def fill(items: int, *, raters: int, answers: int) -> int:
    """A campaign all of whose items are judged; how many judgments there are."""
    from django.db import connection

    from annotation.models import Judgment
    from tests.load.filling import judge_everything, make_campaign, make_people

    researcher, people = make_people(raters)
    campaign = make_campaign(
        SLUG, items=items, per_item=raters, researcher=researcher, raters=people
    )
    questions = {"attributable": min(answers, 5)} | ({"useful": 5} if answers > 5 else {})
    judge_everything(campaign, people, questions)
    # What autovacuum does within minutes where it is on, as it is by default.
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    return Judgment.objects.count()


def measured_apart(name: str) -> dict[str, float]:
    """`measured` in a process of its own, which has done nothing else before."""
    command = [sys.executable, "-m", "tests.bench.exports", "--one", name]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    row: dict[str, float] = json.loads(told.stdout.splitlines()[-1])
    return row


def measured(name: str) -> dict[str, float]:
    """One export, to a file, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        pieces = plain_loop() if name == PLAIN else export(name)
        forget_peak()
        before = resident()
        begun, cpu_begun = time.perf_counter(), time.process_time()
        first, size = 0.0, 0
        with Path(folder, "export").open("wb") as file:
            for piece in pieces:
                first = first or time.perf_counter() - begun
                size += file.write(piece)
        seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu_begun
    growth = most_resident() - before
    return {"seconds": seconds, "cpu": cpu, "first": first, "bytes": size, "growth": growth}


def export(name: str) -> Iterator[bytes]:
    from annotation.exporting import Export, load_format
    from annotation.items.run_groups import with_runs
    from annotation.models import Campaign

    campaign = with_runs(Campaign.objects.all()).get(slug=SLUG)
    return Export(campaign=campaign, format=load_format(name)).chunks()


def plain_loop() -> Iterator[bytes]:
    """What the same judgments cost without any of the product's work on them."""
    import csv

    from annotation.models import Judgment
    from rarrweb.csv import Echo

    table: Any = csv.writer(Echo())
    rows = Judgment.objects.filter(assignment__item__campaign__slug=SLUG).values_list(
        "assignment__item__position", "assignment__item__revision__passage__external_id",
        "assignment__rater", "criterion", "target", "value", "assignment__submitted_at",
    )  # fmt: skip
    for row in rows.iterator(chunk_size=2000):
        yield table.writerow(row).encode()


if __name__ == "__main__":
    main()
