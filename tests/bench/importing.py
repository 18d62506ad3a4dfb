"""Seconds to import a file of HAGRID's lines, and of tables, once and once more.

    python -m tests.bench.importing [--lines 10000] [--runs 3] [--checkout FOLDER]
    python -m tests.bench.importing --shapes

Each line has one answer of five sentences, and five quotes; a table has five columns of a hundred
words, as CSV, JSON lines and Parquet. Each way runs in a process of its own
over the same generated file, with a database of its own; the fastest of its runs counts. The
baseline does the least that a table of JSON needs: `json.loads` of each line to see that it is
JSON, and the raw line into one column. `--checkout` measures another checkout of this repository
beside this one, such as one of the commit before a change.
"""

import argparse
import csv
import json
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WORDS = 8_000
SENTENCE, QUOTE = 18, 70
"""Words, on average: those of HAGRID's own sentences and quotes."""
HERE = Path(__file__).resolve().parents[2]
BASELINE, PRODUCT, CHECKOUT = "json.loads, raw lines", "the product", "the other checkout"


chance = random.Random(11)
VOCABULARY = [f"{'bcdfgrst'[n % 8]}{'aeiouéü'[n % 7]}{n:x}" for n in range(WORDS)]


def text(words: int) -> str:
    length = chance.randint(words // 2, words * 3 // 2)
    return " ".join(chance.choices(VOCABULARY, k=length)).capitalize() + "."


def hagrid_lines(count: int) -> Iterator[dict[str, Any]]:
    """Generate lines of HAGRID."""
    for number in range(count):
        sentences = [f"{text(SENTENCE)[:-1]} [{cited}]." for cited in range(1, 6)]
        labels = [chance.choice([0, 1, None]) for _ in sentences]
        yield {
            "query_id": str(number),
            "query": f"{text(9)[:-1]}?",
            "quotes": [
                {"idx": idx, "docid": f"{chance.randrange(10**7)}#{idx}", "text": text(QUOTE)}
                for idx in range(1, 6)
            ],
            "answers": [
                {
                    "answer": " ".join(sentences),
                    "answer_type": chance.choice(["short", "long"]),
                    "informative": 1,
                    "attributable": int(all(label == 1 for label in labels)),
                    "sentences": [
                        {"index": n, "text": message, "informative": 1, "attributable": label}
                        for n, (message, label) in enumerate(zip(sentences, labels, strict=True))
                    ],
                }
            ],
        }


def write_lines(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in hagrid_lines(count))


def write_tables(folder: Path, count: int) -> dict[str, Path]:
    """Write one table in each container."""
    import pyarrow
    from pyarrow import parquet

    columns = ("question", "answer", "evidence", "notes", "review")
    rows = [{name: text(100) for name in columns} for _ in range(count)]
    paths = {name: folder / f"table.{name}" for name in ("csv", "jsonl", "parquet")}
    with paths["csv"].open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        table.writerows(rows)
    with paths["jsonl"].open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    parquet.write_table(pyarrow.Table.from_pylist(rows), paths["parquet"])
    return paths


def through_the_product(path: Path) -> dict[str, float]:
    """Import the file twice, as `load_passages` does, and then once more."""
    import django

    django.setup()
    from django.core.management import call_command

    from pipeline.data import datasets
    from tests.bench.memory import forget_peak, most_resident, resident

    call_command("migrate", verbosity=0)
    dataset = datasets.create_dataset(name="bench")
    another = path.with_name("another.jsonl")
    another.write_text(json.dumps(next(hagrid_lines(1)) | {"query_id": "another"}) + "\n")
    figures: dict[str, float] = {}
    forget_peak()
    held = resident()
    for name, file in (("first", path), ("second", path), ("one more", another)):
        before = dataset.passages.count()
        staged = file.with_suffix(".staged")
        start = time.perf_counter()
        check = datasets.check_passages(dataset, file, staged=staged)
        checked = time.perf_counter()
        datasets.import_passages(dataset, staged)
        done = time.perf_counter()
        assert not check.wrong, check
        figures |= {
            f"{name} check": checked - start,
            f"{name} write": done - checked,
            name: done - start,
            f"{name} rows": dataset.passages.count() - before,
        }
    figures["growth"] = most_resident() - held
    return figures


def raw_lines(path: Path) -> dict[str, float]:
    """The baseline: parse lines and store them raw."""
    database = sqlite3.connect(path.with_suffix(".raw.sqlite3"))
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE line (number INTEGER PRIMARY KEY, raw TEXT)")

    def rows() -> Iterator[tuple[int, str]]:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file):
                json.loads(line)
                yield number, line

    figures: dict[str, float] = {}
    for name in ("first", "second"):
        before = database.total_changes
        start = time.perf_counter()
        with database:
            database.executemany("INSERT OR IGNORE INTO line VALUES (?, ?)", rows())
        figures[name] = time.perf_counter() - start
        figures[f"{name} rows"] = database.total_changes - before
    return figures


def measure(way: str, path: Path, folder: Path, database_url: str = "") -> dict[str, float]:
    """Run a way in a subprocess with the code of the checkout at `folder`."""
    with tempfile.TemporaryDirectory(dir=path.parent) as var:
        environment = {
            **os.environ,
            "RARR_VAR": var,
            "DATABASE_URL": database_url,
            "DJANGO_SETTINGS_MODULE": "rarrweb.settings",
            "PYTHONPATH": str(folder),
        }
        file = Path(var) / f"rows{path.suffix}"
        file.symlink_to(path)
        command = [sys.executable, str(Path(__file__).resolve()), "--one-way", way]
        command += ["--path", str(file)]
        output = subprocess.check_output(command, env=environment, cwd=folder, text=True)
        figures: dict[str, float] = json.loads(output.splitlines()[-1])
        return figures


def print_shapes() -> None:
    """Print how the files of other tools are read."""
    from pipeline.importing.passages import inspect_file, read_passages
    from tests.support import tool_files

    print(f"{'tool':<36}{'container':<11}{'format':<11}{'rows':>5}{'seconds':>9}  guesses")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for tool, row in tool_files.SHAPES.items():
            name, _, kind = tool.rpartition(": ")
            tool_files.write(path, kind.split()[1], row)
            start = time.perf_counter()
            shape, rows = inspect_file(path), [*read_passages(path)]
            seconds = time.perf_counter() - start
            guesses = [f"{field}={column}" for field, column in shape.columns.items() if column]
            print(
                f"{name:<36}{shape.container:<11}{shape.format:<11}{len(rows):>5}{seconds:>9.3f}"
                f"  {', '.join(guesses)}"
            )


def machine() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = models[0] if models else platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}, SQLite"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--checkout", type=Path, help="another checkout to measure beside this")
    parser.add_argument(
        "--shapes", action="store_true", help="print how files of other tools are read, and end"
    )
    parser.add_argument("--one-way", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one_way:
        run = raw_lines if given.one_way == BASELINE else through_the_product
        print(json.dumps(run(given.path)))
        return
    if given.shapes:
        print_shapes()
        return
    ways = {BASELINE: HERE, PRODUCT: HERE}
    if given.checkout:
        ways[CHECKOUT] = given.checkout.resolve()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hagrid.jsonl"
        write_lines(path, given.lines)
        print(machine())
        print(f"{given.lines:,} lines, {path.stat().st_size / 1e6:.1f} MB; best of {given.runs}")
        print(
            f"{'way':<24}{'seconds':>9}{'lines/s':>9}{'check':>8}{'write':>8}{'rows':>9}"
            f"{'again':>9}{'rows':>6}"
        )
        tables = {
            f"a table, {name}": each
            for name, each in write_tables(Path(folder), given.lines).items()
        }
        measured: dict[str, list[dict[str, float]]] = {way: [] for way in (*ways, *tables)}
        for _ in range(given.runs):  # in turns, so that other work on the machine meets all alike
            for way, checkout in ways.items():
                measured[way].append(measure(way, path, checkout))
            for way, table in tables.items():
                measured[way].append(measure(PRODUCT, table, HERE))
    for way, figures in measured.items():
        best = min(figures, key=lambda each: each["first"])
        parts = "".join(
            f"{best[name]:>8.2f}" if name in best else f"{'–':>8}"
            for name in ("first check", "first write")
        )
        print(
            f"{way:<24}{best['first']:>9.2f}{given.lines / best['first']:>9,.0f}{parts}"
            f"{best['first rows']:>9,.0f}{min(each['second'] for each in figures):>9.2f}"
            f"{best['second rows']:>6,.0f}"
        )


if __name__ == "__main__":
    main()
