"""How often compact tells a supported sentence from the same with one thing wrong.

    python -m research.contrast FILE… [--data DATA] [--weights FILE]

Each FILE has minimal pairs, as `research/minimal_pairs/tuning.jsonl`: evidence, class, sentence,
label. Prints for each class, and for all, how many wrong sentences are called attributed, how many
supported ones are not, and of how many pairs both sides are right: by auto-AIS (0.5 or more is
attributed) and by the reader alone (entailment is the likeliest of its three classes). `--data`
adds the swap sets of `swap_set.py`: how many swapped sentences pass as attributed, how many sound
ones do not, and the area under the ROC curve. Intervals are Wilson's, 95 %. The reader alone reads
all evidence at once, auto-AIS in its windows.

`minimal_pairs/once.jsonl` is for the end: whoever tunes by it has nothing left to measure with.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipeline.backends.compact.entailment_scorer import CompactEntailment
from pipeline.backends.compact.reader import weights as reader_weights
from pipeline.backends.compact.reader.model import Reader
from pipeline.rarr.types import with_title
from research.logistic import area
from research.mpnet import reader_of
from research.swap_set import SwapSet, dev_sets
from research.swaps import shown
from research.texts import rows

ATTRIBUTED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimalPair:
    kind: str
    """What is wrong with `wrong`."""
    evidence: str
    supported: str
    wrong: str


def minimal_pairs(path: Path) -> list[MinimalPair]:
    """Rows of a file by what their ids share: "m1-yes" and "m1-no"."""
    sides: dict[str, dict[int, dict]] = defaultdict(dict)
    for row in rows(path):
        sides[row["id"].rsplit("-", 1)[0]][row["label"]] = row
    return [
        MinimalPair(
            kind=each[1]["class"], evidence="\n".join(each[1]["evidence"]),
            supported=each[1]["sentence"], wrong=each[0]["sentence"],
        )
        for each in sides.values()
    ]  # fmt: skip


def called(pairs: Sequence[tuple[str, str]], reader: Reader) -> dict[str, list[bool]]:
    """Which (evidence, sentence) pairs are called attributed, by auto-AIS and by the reader."""
    scores = CompactEntailment(reader).score(pairs)
    verdicts = [read.verdict for read in reader.read(pairs)]
    return {
        "auto-AIS": [score.entailed >= ATTRIBUTED for score in scores],
        "reader": [v.entailment > max(v.neutral, v.contradiction) for v in verdicts],
    }


def table(pairs: Sequence[MinimalPair], reader: Reader) -> Iterable[tuple[str, ...]]:
    """Rows of (who, class, wrong called attributed, supported not, both right)."""
    found = {
        side: called([(p.evidence, getattr(p, side)) for p in pairs], reader)
        for side in ("supported", "wrong")
    }
    for who in ("auto-AIS", "reader"):
        sides = list(zip(found["supported"][who], found["wrong"][who], strict=True))
        for kind in [*dict.fromkeys(p.kind for p in pairs), "all"]:
            mine = [s for p, s in zip(pairs, sides, strict=True) if kind in (p.kind, "all")]
            yield (
                who, kind,
                shown(sum(wrong for _, wrong in mine), len(mine)),
                shown(sum(not supported for supported, _ in mine), len(mine)),
                shown(sum(supported and not wrong for supported, wrong in mine), len(mine)),
            )  # fmt: skip


def passing(swaps: SwapSet, scorer: CompactEntailment, share: float) -> Iterable[str]:
    """A line for far and near swaps: pass as attributed, sound ones that do not, area."""
    cases = swaps.cases[:: max(1, round(1 / share))]
    pairs = [(with_title(case.evidence, title=case.title), case.text) for case in cases]
    scores = np.array([score.entailed for score in scorer.score(pairs)])
    sound = np.array([case.kind == "sound" for case in cases])
    near = np.array([case.is_near for case in cases])
    low = int((scores[sound] < ATTRIBUTED).sum())
    yield f"sound sentences below {ATTRIBUTED}: {shown(low, int(sound.sum()))}"
    for name, wrong in (("far", ~sound & ~near), ("near", near)):
        kept = sound | wrong
        passed = int((scores[wrong] >= ATTRIBUTED).sum())
        yield (
            f"{name} swaps that pass: {shown(passed, int(wrong.sum()))}; "
            f"area {area(sound[kept].astype(float), scores[kept]):.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="minimal pairs, JSON lines")
    parser.add_argument("--data", type=Path, help="a folder with dev/: also measure swaps")
    parser.add_argument("--share", type=float, default=1.0, help="of the swap sets' cases")
    parser.add_argument("--weights", type=Path, default=reader_weights.WEIGHTS)
    parser.add_argument("--threads", type=int, default=0)
    given = parser.parse_args()
    reader = reader_of(given.weights, threads=given.threads)
    for path in given.files:
        print(f"\n{path}\n{'':9}{'':17}{'wrong called attributed':32}"
              f"{'supported called not':32}both right")  # fmt: skip
        for who, kind, *figures in table(minimal_pairs(path), reader):
            print(f"{who:9}{kind:17}" + "".join(f"{figure:32}" for figure in figures))
    if given.data:
        for name, swaps in dev_sets(given.data).items():
            print(f"\n{name}")
            for line in passing(swaps, CompactEntailment(reader), given.share):
                print(line)


if __name__ == "__main__":
    main()
