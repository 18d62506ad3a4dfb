"""Batches and time of ALCE's citation figures: `python -m tests.bench.citations`.

1,000 answers of four sentences with five passages each, and a model of fixed latency a batch
beside a fixed time a pair. The baseline asks one pair at a time, as the reference does; its time
is added up, not waited for.
"""

import argparse
import random
import time
from collections.abc import Sequence

from pipeline.metrics import alce_reference
from pipeline.metrics.citation_support import CitedAnswer, Entailments, Pair, citation_support

WORDS = ["mill", "river", "fire", "owner", "bridge", "year", "hall", "tower", "weir", "road"]


class Slow:
    """Entails by chance, the same every time; counts what it is asked."""

    def __init__(self, *, a_batch: float, a_pair: float) -> None:
        self.a_batch, self.a_pair = a_batch, a_pair
        self.batches = self.pairs = 0

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        self.batches += 1
        self.pairs += len(pairs)
        return [random.Random(f"{premise}|{said}").random() ** 0.5 for premise, said in pairs]

    @property
    def seconds(self) -> float:
        return self.batches * self.a_batch + self.pairs * self.a_pair


def answers(n: int, passages: int) -> list[CitedAnswer]:
    dice = random.Random(7)
    found = []
    for number in range(n):
        sentences = [
            f"The {dice.choice(WORDS)} of {number} was a {dice.choice(WORDS)} "
            + "".join(f"[{dice.randint(1, passages)}]" for _ in range(dice.randint(0, 3)))
            + "."
            for _ in range(4)
        ]
        texts = [f"Title: {number}\nPassage {place}." for place in range(passages)]
        found.append(
            CitedAnswer(
                statements=alce_reference.statements(sentences, passages=passages), passages=texts
            )
        )
    return found


def one_at_a_time(given: Sequence[CitedAnswer], slow: Slow) -> list[tuple[int, int]]:
    """Each answer's entailed statements and good citations, by the reference's loops."""

    def holds(answer: CitedAnswer, sources: Sequence[int], said: str) -> bool:
        return slow([(answer.premise(sources), said)])[0] >= 0.5

    found = []
    for answer in given:
        recalled = precise = 0
        for each in answer.statements:
            if not each.sources or not holds(answer, each.sources, each.text):
                continue
            recalled += 1
            if len(each.sources) == 1:
                precise += 1
                continue
            for source in each.sources:
                rest = list(each.sources)
                rest.remove(source)
                precise += holds(answer, [source], each.text) or not holds(answer, rest, each.text)
        found.append((recalled, precise))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000)
    parser.add_argument("--passages", type=int, default=5)
    parser.add_argument("--a-batch", type=float, default=0.02, help="seconds")
    parser.add_argument("--a-pair", type=float, default=0.002, help="seconds")
    options = parser.parse_args()
    given = answers(options.answers, options.passages)
    print(f"{'':<20}{'batches':>10}{'pairs':>10}{'model, s':>12}{'own work, s':>14}")
    results = []
    for name in ("one at a time", "together"):
        slow = Slow(a_batch=options.a_batch, a_pair=options.a_pair)
        began = time.perf_counter()
        if name == "together":
            support = citation_support(given, Entailments(slow))
            results.append(
                [
                    (round((each.recall or 0) * len(answer.statements)),
                     round((each.precision or 0) * sum(len(s.sources) for s in answer.statements)))
                    for each, answer in zip(support, given, strict=True)
                ]
            )  # fmt: skip
        else:
            results.append(one_at_a_time(given, slow))
        own = time.perf_counter() - began
        print(f"{name:<20}{slow.batches:>10,}{slow.pairs:>10,}{slow.seconds:>12.1f}{own:>14.2f}")
    print("The figures are the same." if results[0] == results[1] else "THE FIGURES DIFFER.")


if __name__ == "__main__":
    main()
