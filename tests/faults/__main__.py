"""Faults at random moments of all kinds of work at once, and whether anything was lost by them.

    python -m tests.faults [NAME …] [--seed 1] [--keep]

Each case makes an installation of its own (PostgreSQL and Redis on free ports with folders of
their own, a web server, a worker; or SQLite), and lets a file be imported, a corpus be indexed, a
run be revised, raters judge and packages be written at the same time. Meanwhile its fault strikes
at random moments. When all is done, what every client had been told is compared with what there is.

Prints a table of the cases; "heard" is how often clients got no answer, a 503, or the sentence that
the disk is full, before they asked again. Exit status: 1 where something was lost, done twice,
answered with an error page or not ended; else 0. Root runs PostgreSQL as the user `postgres`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults import commands
from tests.faults.cases import CASES, installed

NAMES = [*CASES, *commands.CASES]
FIRST = (0.5, 2.0)
"""Seconds before the first strike: the files are still coming in."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; else all")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--keep", action="store_true", help="leave the folders with all logs")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"{unknown.pop()} is no case: choose of {', '.join(NAMES)}")
    if options.into:
        name = options.names[0]
        strike = commands.strike if name in commands.CASES else _strike
        found = strike(name, options.into, seed=options.seed)
        (options.into / "found.json").write_text(json.dumps(found))
        return 0
    rows = [
        _in_own_process(name, seed=options.seed, keep=options.keep)
        for name in options.names or NAMES
    ]
    print("\n| fault | struck during | acknowledged | heard | done after | wrong |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        wrong = ", ".join(f"{count} {name}" for name, count in row["wrong"].items()) or "nothing"
        print(
            f"| {row['what']} | {row['during']} | {row['acknowledged']} | {row['heard']} "
            f"| {row['seconds']:.0f} s | {wrong} |"
        )
    return 1 if any(row["wrong"] for row in rows) else 0


def _in_own_process(name: str, *, seed: int, keep: bool) -> dict[str, object]:
    """One process a case: Django reads its settings once."""
    folder = Path(tempfile.mkdtemp(prefix=f"rarrweb-faults-{name}-"))
    folder.chmod(0o711)  # PostgreSQL's own user has to reach its folder
    command = [sys.executable, "-m", "tests.faults", name, "--into", str(folder)]
    ended = subprocess.run([*command, "--seed", str(seed)], check=False)
    out = folder / "found.json"
    if out.exists():
        found: dict[str, object] = json.loads(out.read_text())
    else:
        wrong = {f"case that ended with {ended.returncode}": 1}
        found = {"what": name, "seconds": 0.0, "wrong": wrong}
        found |= dict.fromkeys(("during", "acknowledged", "heard"), "")
    print(f"{name}: {found['wrong'] or 'nothing wrong'}", flush=True)
    if keep or found["wrong"]:
        print(f"kept: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    return found


def _strike(name: str, folder: Path, *, seed: int) -> dict[str, object]:
    case = CASES[name]
    with installed(case, folder, seed=seed) as place:
        from tests.faults.checks import count_acknowledged, count_wrong
        from tests.faults.work import Work

        servers = folder / "servers" if case.has_servers else None
        work = Work(place.url, place.script_log, servers=servers)
        work.prepare()
        place.work = work
        from django.db import connections

        connections.close_all()
        work.begin()
        during: dict[str, int] = {}
        struck = 0
        for number in range(case.strikes):
            place.pause(*case.gap if number else FIRST)
            if not (under_way := work.under_way()):
                break
            for kind in under_way:
                during[kind] = during.get(kind, 0) + 1
            print(f"{name}: strikes during {', '.join(under_way)}", flush=True)
            case.strike(place)
            struck += 1
        last = time.monotonic()
        work.end()
        seconds = time.monotonic() - last
        wrong = count_wrong(work) | place.wrong
        if not struck:
            wrong["faults that came too late"] = 1
        for line in work.errors:
            print(f"  {line}", flush=True)
        heard = work.heard.counts
        return {
            "what": f"{case.what}, {struck} times",
            "during": ", ".join(f"{kind} {count}" for kind, count in during.items()),
            "acknowledged": count_acknowledged(work),
            "heard": f"{heard['no answer']} / {heard['503']} / {heard['disk full']}",
            "seconds": seconds,
            "wrong": wrong,
        }


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
