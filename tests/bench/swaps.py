"""How many swapped values `manage.py revise` restores, and how many sound sentences it spoils.

    python -m tests.bench.swaps DATA_FOLDER --out FOLDER [--revised FILE]

Builds the set of swap_set.py from DATA_FOLDER/dev into FOLDER, runs `manage.py revise` over it
with all its evidence as the corpus, and prints the table, beside a ten-line heuristic that is
given each sentence's own evidence. Restored: the revised text equals the sound sentence to the
letter. Spoiled: a sound sentence was changed at all. Intervals are Wilson's, 95 %. The rules were
tuned on the tuning half; docs/decisions/0005 says how far the other half is untouched.
"""

import argparse
import math
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from tests.bench.baseline import heuristic
from tests.bench.swap_set import Case, dev_set, read_jsonl

ROOT = Path(__file__).parents[2]


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, from 0.0 to 1.0."""
    if not total:
        return 0.0, 1.0
    z, share = 1.959964, hits / total
    middle = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - reach) / (1 + z * z / total), (middle + reach) / (1 + z * z / total)


def shown(hits: int, total: int) -> str:
    if not total:
        return "-"
    low, high = wilson(hits, total)
    return f"{hits}/{total} = {hits / total:5.1%} [{low:.1%}, {high:.1%}]"


def table(cases: list[Case], ours: dict[str, str]) -> list[tuple[str, str, str]]:
    """Rows of (what, ours, baseline)."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for case in cases:
        sound = case.kind == "sound"
        theirs = heuristic(case.text, f"{case.title}. {case.evidence}")
        mine = ours[case.id]
        verb = "spoiled" if sound else "restored"
        names = [
            f"{verb}, all",
            f"{verb}, {case.half}",
            f"{verb}, {case.half}, {'WiCE' if case.source == 'WiCE' else 'AttributionBench'}",
            f"{verb}, {case.source}",
        ]
        if not sound:
            names.append(f"{verb}, {case.kind}")
        for name in names:
            counts[name][0] += (mine == case.sound) != sound
            counts[name][1] += (theirs == case.sound) != sound
            counts[name][2] += 1
    return [
        (name, shown(mine, total), shown(theirs, total))
        for name, (mine, theirs, total) in sorted(counts.items())
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds dev/")
    parser.add_argument("--out", type=Path, required=True, help="where the set is written")
    parser.add_argument("--revised", type=Path, help="count this output of `revise` instead")
    options = parser.parse_args()
    swaps = dev_set(options.data)
    swaps.write(options.out)
    revised = options.revised
    if revised is None:
        revised = options.out / "revised.jsonl"
        started = time.perf_counter()
        subprocess.run(
            [
                sys.executable, "manage.py", "revise", str(options.out / "passages.jsonl"),
                "--corpus", str(options.out / "corpus.jsonl"), "--out", str(revised),
            ],
            cwd=ROOT, check=True,
        )  # fmt: skip
        print(f"{len(swaps.cases) / (time.perf_counter() - started):.0f} passages a second")
    ours = {row["id"]: row["result"]["revisions"][0]["revised_text"] for row in read_jsonl(revised)}
    print(f"{'':44}{'manage.py revise':32}ten-line heuristic, own evidence")
    for name, mine, theirs in table(swaps.cases, ours):
        print(f"{name:44}{mine:32}{theirs}")


if __name__ == "__main__":
    main()
