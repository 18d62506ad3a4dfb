"""How many swapped values `manage.py revise` restores, and how many sound sentences it spoils.

    python -m research.swaps DATA_FOLDER --out FOLDER

Builds the sets of swap_set.py from DATA_FOLDER into FOLDER, runs `manage.py revise` over each
with all its evidence as the corpus, and prints a table of each, beside a ten-line heuristic that
is given each sentence's own evidence. Restored: the revised text equals the sound sentence to the
letter; "near" where the wrong value stands elsewhere in the same evidence. Spoiled: a sound
sentence was changed at all. Intervals are Wilson's, 95 %. The rules were tuned on the tuning half;
research/README.md says how far the other half is untouched.
"""

import argparse
import math
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from research.baseline import heuristic
from research.swap_set import Case, SwapSet, dev_sets, read_jsonl

ROOT = Path(__file__).parents[1]


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, from 0.0 to 1.0."""
    if not total:
        return 0.0, 1.0
    z, share = 1.959964, hits / total
    middle = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return max(0.0, (middle - reach) / (1 + z * z / total)), (middle + reach) / (1 + z * z / total)


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
        verb = "spoiled" if sound else "restored near" if case.is_near else "restored"
        names = [
            f"{verb}, all",
            f"{verb}, {case.half}",
        ]
        part = "WiCE" if case.source == "WiCE" else "AttributionBench"
        names += [f"{verb}, {case.half}, {part}", f"{verb}, {case.source}"]
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


def revised(swaps: SwapSet, folder: Path) -> dict[str, str]:
    """What `manage.py revise` makes of each case's text, by the case's id."""
    swaps.write(folder)
    out = folder / "revised.jsonl"
    started = time.perf_counter()
    subprocess.run(
        [
            sys.executable, "manage.py", "revise", str(folder / "passages.jsonl"),
            "--corpus", str(folder / "corpus.jsonl"), "--out", str(out),
        ],
        cwd=ROOT, check=True,
    )  # fmt: skip
    print(f"{len(swaps.cases) / (time.perf_counter() - started):.0f} passages a second")
    return {row["id"]: row["result"]["revisions"][0]["revised_text"] for row in read_jsonl(out)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds dev/ and train/")
    parser.add_argument("--out", type=Path, required=True, help="where the sets are written")
    options = parser.parse_args()
    for name, swaps in dev_sets(options.data).items():
        ours = revised(swaps, options.out / name.replace(", ", "-"))
        print(f"\n{name:44}{'manage.py revise':32}ten-line heuristic, own evidence")
        for what, mine, theirs in table(swaps.cases, ours):
            print(f"{what:44}{mine:32}{theirs}")


if __name__ == "__main__":
    main()
