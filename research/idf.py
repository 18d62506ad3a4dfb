"""Count how rare words are, in the training evidence whose licence allows it.

    python -m research.idf DATA

Writes entailment/idf.txt: a rarity in tenths (-ln of the share of texts) and its stems on each
line, words alone and no text of anybody's. SNLI and its like are left out: their premises are
captions, in which "man" is the commonest noun.
"""

import argparse
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.backends.compact.entailment.word_features import TABLE
from pipeline.backends.compact.text.words import words

FILES = (
    "attribution_expertqa", "attribution_factcheckgpt_stance", "attribution_q2_wow",
    "nli_conjnli", "nli_fever_dev", "nli_fool_me_twice", "nli_propsegment_dev",
    "qa_qed_dev_qa", "qa_squad_train_part",
)  # fmt: skip
LEAST_TEXTS = 12
"""A stem that fewer texts hold is as rare as any other."""


def texts(data: Path) -> Iterator[str]:
    """Each premise or paragraph once."""
    seen: set[str] = set()
    for name in FILES:
        with (data / "train" / f"{name}.jsonl").open(encoding="utf-8") as file:
            for row in map(json.loads, file):
                text = row.get("premise") or row["context"]
                if text not in seen:
                    seen.add(text)
                    yield text


def table(found: Iterator[str]) -> str:
    """The content of the file: common words first, the rarity of all others last."""
    counts: Counter[str] = Counter()
    total = 0
    for text in found:
        total += 1
        counts.update({word.stem for word in words(text)})
    lines: dict[int, list[str]] = defaultdict(list)
    for stem, count in counts.items():
        # A figure is told by its digits, a stem with white space would break its line.
        if count >= LEAST_TEXTS and not stem[:1].isdigit() and len(stem.split()) == 1:
            lines[_tenths(count, total)].append(stem)
    rows = [f"{tenths} {' '.join(sorted(lines[tenths]))}" for tenths in sorted(lines)]
    return "\n".join([*rows, str(_tenths(LEAST_TEXTS / 2, total))]) + "\n"


def _tenths(count: float, total: int) -> int:
    return max(1, round(-10 * math.log(count / (total + 1))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/")
    TABLE.write_text(table(texts(parser.parse_args().data)), encoding="utf-8")


if __name__ == "__main__":
    main()
