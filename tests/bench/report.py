"""How long the exact attribution report takes, beside trying every set. Prints a table.

    .venv/bin/python -m tests.bench.report [--snippets 40] [--queries 40] [--no-enumeration]

Both are asked for at most 5 snippets and must find the same coverage. The enumeration tries
all C(n, 1) + … + C(n, 5) sets in plain numpy, a thousand at a time.
"""

import argparse
import itertools
import time

import numpy as np
from numpy.typing import NDArray

from pipeline.rarr.report import best_cover

Scores = NDArray[np.float64]
SIZE = 5


def cases(queries: int, snippets: int) -> dict[str, Scores]:
    """Score tables that are hard in different ways."""
    random = np.random.default_rng(20231)
    shape = (queries, snippets)
    own = np.zeros(shape)
    own[np.arange(queries), np.arange(queries) % snippets] = 1.0
    return {
        "uniform": random.random(shape),
        "normal, half negative": random.normal(size=shape),
        "all equal": np.full(shape, 0.3),
        "equal but for 1e-9": 0.5 + random.random(shape) * 1e-9,
        "each covers its own": own,
        "each covers its own, noise": own + random.random(shape) * 0.01,
        "each covers all but its own": 1.0 - own,
        "yes or no, 1 in 10": (random.random(shape) < 0.1).astype(float),
        "three values": random.integers(0, 3, shape).astype(float),
        "one topic (rank 1, noise)": np.outer(random.random(queries), random.random(snippets))
        + random.random(shape) * 0.05,
    }


def by_enumeration(scores: Scores) -> float:
    """The greatest coverage of any set, by trying them all."""
    columns = np.ascontiguousarray(scores.T)
    best = -np.inf
    for count in range(1, SIZE + 1):
        sets = itertools.combinations(range(len(columns)), count)
        while some := list(itertools.islice(sets, 1000)):
            best = max(best, float(columns[np.array(some)].max(axis=1).sum(axis=1).max()))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--snippets", type=int, default=40)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--no-enumeration", action="store_true")
    options = parser.parse_args()
    print(f"{options.snippets} snippets, {options.queries} queries, at most {SIZE} chosen")
    print(f"{'scores':30} {'exact':>6} {'search s':>9} {'all sets s':>11} {'coverage':>10}")
    for name, scores in cases(options.queries, options.snippets).items():
        start = time.perf_counter()
        chosen, is_exact = best_cover(scores, size=SIZE)
        taken = time.perf_counter() - start
        cover = float(scores[:, chosen].max(axis=1).sum())
        enumerated = ""
        if not options.no_enumeration:
            start = time.perf_counter()
            best = by_enumeration(scores)
            enumerated = f"{time.perf_counter() - start:.2f}"
            assert not is_exact or abs(best - cover) < 1e-9, (name, best, cover)
        print(f"{name:30} {is_exact!s:>6} {taken:9.3f} {enumerated:>11} {cover:10.4f}")


if __name__ == "__main__":
    main()
