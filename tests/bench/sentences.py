"""How long splitting a page into sentences takes: `python -m tests.bench.sentences`.

The product's splitter beside pySBD alone, on one text and in one run.
"""

import time
from collections.abc import Callable

import pysbd

from pipeline.backends.sentences import SpacySplitter

TEXT = "The mill on the Ribble was built in 1852 by J. Hart. It burned down (twice) in 1890. "


def seconds(split: Callable[[str], object], page: str) -> float:
    started = time.perf_counter()
    split(page)
    return time.perf_counter() - started


def main() -> None:
    print(f"{'characters':>10}  {'ours, s':>9}  {'pySBD, s':>9}")
    alone = pysbd.Segmenter(language="en", clean=False, char_span=True).segment
    for size in (1_000, 10_000, 100_000, 500_000):
        page = (TEXT * (size // len(TEXT) + 1))[:size]
        ours = seconds(SpacySplitter("blank").split, page)
        print(f"{size:>10,}  {ours:9.3f}  {seconds(alone, page):9.3f}")


if __name__ == "__main__":
    main()
