"""How long `revise` waits for a language model behind a server, and how often it asks it.

    .venv/bin/python -m tests.bench.round_trips [--passages 50] [--delay 0.2]

A stub server answers each call after `delay` seconds from a script; every passage has six
queries, and no, one or two wrong facts in turn. The same file is revised four times by the
command itself:

- one call after another: one passage, one request at a time: the reference;
- as it comes: several passages at once, with the defaults;
- sixteen at once: the same with more requests at once than the default;
- again: the same once more, from the answers that were kept.

Prints for each the requests, the wall time from the first request to the end and by passage,
and whether the output is that of the reference, byte for byte, but for `usage` (seconds differ;
known answers are no calls). Exits with 1 where it is not, where a run asked more than the
reference, or where the last one asked anything.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.halls import answer, rows
from tests.support.llm_server import LlmServer

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Measured:
    name: str
    requests: int
    calls: int
    """As the lines' `usage` has it."""
    seconds: float
    most_at_once: int
    lines: tuple[str, ...]
    """The output without `usage`."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--passages", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds a call takes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        passages, documents = rows(options.passages)
        _write(folder / "in.jsonl", passages)
        _write(folder / "pages.jsonl", documents)

        # One server for all: its address is part of what an answer is kept under.
        with LlmServer(answer, delay=options.delay) as server:
            bench = Bench(folder=folder, server=server)
            result = [
                bench.run(
                    "one call after another", "a", "--at-once", "1", RARR_LLM_CONCURRENCY="1"
                ),
                bench.run("as it comes", "c"),
                bench.run("sixteen at once", "d", RARR_LLM_CONCURRENCY="16"),
                bench.run("again", "d"),
            ]
    report(result, passages=options.passages, delay=options.delay)
    sys.exit(0 if is_sound(result) else 1)


@dataclass(frozen=True, kw_only=True)
class Bench:
    folder: Path
    """Holds the passages and the pages, and what the runs write."""
    server: LlmServer

    def run(self, name: str, var: str, *arguments: str, **settings: str) -> Measured:
        out = self.folder / f"{name}.jsonl"
        command = [sys.executable, "manage.py", "revise", str(self.folder / "in.jsonl")]
        command += ["--corpus", str(self.folder / "pages.jsonl"), "--out", str(out)]
        command += ["--set", "documents_per_query=1", *arguments]
        environment = {
            **os.environ,
            "RARR_VAR": str(self.folder / var),
            "RARR_LLM": "openai:stub",
            "RARR_LLM_BASE_URL": self.server.url,
            "RARR_LLM_API_KEY": "none",
            **settings,
        }
        before, self.server.most_at_once = len(self.server.requests), 0
        begun = time.monotonic()
        ran = subprocess.run(
            command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
        )
        ended = time.monotonic()
        if ran.returncode:
            raise SystemExit(f"{name}: {ran.stderr}")
        requests = self.server.requests[before:]
        results = [json.loads(line) for line in out.read_text().splitlines()]
        usages = [row["result"].pop("usage") for row in results]
        return Measured(
            name=name,
            requests=len(requests),
            calls=sum(usage["model_calls"] for usage in usages),
            seconds=ended - (requests[0].at if requests else begun),
            most_at_once=self.server.most_at_once,
            lines=tuple(json.dumps(row, ensure_ascii=False) for row in results),
        )


def is_sound(result: list[Measured]) -> bool:
    reference, *others, again = result
    return (
        all(each.lines == reference.lines for each in result)
        and all(each.requests == reference.requests for each in others)
        and again.requests == 0
        and all(each.requests == each.calls for each in result)
    )


def report(result: list[Measured], *, passages: int, delay: float) -> None:
    reference = result[0]
    print(f"{passages} passages, 6 queries each, {delay:g} s a call, on {os.cpu_count()} cores\n")
    print(
        f"{'':24}{'requests':>9}{'at once':>8}{'wall s':>9}{'s a passage':>12}{'faster':>8}  output"
    )
    for each in result:
        same = "the same" if each.lines == reference.lines else "DIFFERS"
        print(
            f"{each.name:24}{each.requests:9,}{each.most_at_once:8}"
            f"{each.seconds:9.1f}{each.seconds / passages:12.2f}"
            f"{reference.seconds / each.seconds:7.1f}×  {same}"
        )
    print("\n“again” counts from the command's start: it asks nothing.")


def _write(path: Path, items: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(item) + "\n" for item in items))


if __name__ == "__main__":
    main()
