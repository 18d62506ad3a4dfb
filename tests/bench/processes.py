"""One worker process and two: passages a second by compact, memory, and where the time goes.

    python -m tests.bench.processes [--rounds 4]

Each process, of one thread, revises and scores the demo's 30 passages `--rounds` times over the
demo's documents, with all models loaded before the clock begins; answers are not kept, sentences
that were parsed are. Then one process runs under cProfile, and the functions with most time of
their own are listed.
"""

import argparse
import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import django

MOST = 12
"""Functions that are listed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--own", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.own:
        print(*_revise(options.rounds))
        return
    rates = {}
    for count in (1, 2):
        found = _at_once(count, options.rounds)
        rates[count] = sum(rate for rate, _, _ in found)
        first, peak = (max(each[i] for each in found) for i in (1, 2))
        print(f"{count} at once: {rates[count]:.1f} passages/s, the first one of a process after "
              f"{first:.1f} s, at most {peak:.0f} MB each")  # fmt: skip
    print(f"two do {rates[2] / rates[1]:.2f} times as much as one\n\nprofile, share of own time")
    profile = cProfile.Profile()
    profile.runcall(_revise, options.rounds)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    owns = {(path, name): own for (path, _, name), (_, _, own, _, _) in stats.items()}
    for path, name in sorted(owns, key=lambda place: -owns[place])[:MOST]:
        share = owns[path, name] / sum(owns.values())
        print(f"{share:6.1%}  {'/'.join(Path(path).parts[-2:])} {name}")


def _at_once(count: int, rounds: int) -> list[tuple[float, float, float]]:
    command = [sys.executable, "-m", "tests.bench.processes", "--own", "--rounds", str(rounds)]
    env = os.environ | {"RARR_THREADS": "1", "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) for _ in range(count)
    ]
    said = [each.communicate()[0].split() for each in running]
    return [(float(rate), float(first), float(peak)) for rate, first, peak in said]


def _revise(rounds: int) -> tuple[float, float, float]:
    """(passages a second, seconds until the first one is done, most megabytes)."""
    begun = time.monotonic()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from pipeline.backends.tantivy_corpus import CorpusWriter
    from pipeline.demo_data import PASSAGES, demo_documents
    from pipeline.engine.configuration import RunConfig
    from pipeline.engine.loading import load_engine
    from pipeline.importing.passages import PassageRow, read_passages
    from pipeline.rarr.types import Passage
    from tests.bench.memory import most_resident

    rows = [row for row in read_passages(PASSAGES) if isinstance(row, PassageRow)]
    passages = [Passage(id=row.external_id, text=row.text, context=row.context) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        with CorpusWriter(Path(folder)) as writer:
            for document in demo_documents():
                writer.add(document)
        engine = load_engine(RunConfig.from_settings(), index=Path(folder))
        engine.revise(passages[0])
        first = time.monotonic() - begun
        begun = time.monotonic()
        for passage in passages * rounds:
            engine.revise(passage)
        seconds = time.monotonic() - begun
    return len(passages) * rounds / seconds, first, most_resident() / 2**20


if __name__ == "__main__":
    main()
