"""What thresholds of the compact agreement gate restore and spoil on the dev folder.

    python -m research.gate_thresholds DATA_FOLDER [--weights CHECKPOINT --tokenizer FILE]

Each case of swap_set.py goes through RARR's loop once, and the choices that the gate is put before
are kept; thresholds are then tried on them without asking anybody again. An estimate: in the real
loop an edit changes what is asked next. Restored: one choice gives back the sound sentence, and
no other changes anything. research/swaps.py has the figures themselves. Some minutes.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pipeline.backends.compact.reader.model import Reader, shipped
from pipeline.backends.compact.revision.agreement import LIKELY_FROM, SUPPORTED_FROM
from pipeline.backends.compact.revision.choice import COEFFICIENTS, is_worth_pointing, probabilities
from pipeline.backends.compact.revision.surface_form import new_words
from pipeline.rarr.types import Document
from research.counterpart_choices import met_in
from research.fit_counterpart import GROUPS, Example, example_of, pointed_rows
from research.swap_set import Case, SwapSet, dev_sets

FAR = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
NEAR = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
Judged = list[tuple[Case, list[Example]]]


def judged(swaps: SwapSet, reader: Reader) -> Judged:
    """Each case with the choices that come before the reader."""
    documents = [Document(**document) for document in swaps.documents]
    with tempfile.TemporaryDirectory() as folder:
        found = met_in(swaps.cases, documents, Path(folder))
    by_case: dict[str, list[Example]] = defaultdict(list)
    for met in found:
        if is_worth_pointing(met.choice):
            example = example_of(met, pointed_rows(met, reader), COEFFICIENTS["pointer"], reader)
            if example:
                by_case[met.case].append(example)
    return [(case, by_case[case.id]) for case in swaps.cases]


def edited(example: Example, far: float, near: float) -> str:
    """The text when this choice alone was acted on."""
    choice = example.met.choice
    shares = probabilities(example.second.tolist(), COEFFICIENTS["entailment"][choice.group])
    others = [i for i, own in enumerate(example.own_read) if not own]
    best = max(others, key=lambda i: shares[i])
    if (
        sum(shares[i] for i in others) < (near if choice.has_passage_value else far)
        or shares[best] < LIKELY_FROM
        or example.entailed >= SUPPORTED_FROM
        or not example.raises[best]
    ):
        return choice.located.current
    place, current = choice.located.in_text(choice.focus), choice.located.current
    before, after = current[: place.start], current[place.end :]
    return before + new_words(choice.focus.text, example.texts[best], before, after) + after


def tally(cases: Judged, far: float, near: float, group: str = "") -> dict[str, tuple[int, int]]:
    """(hits, cases) of restored far, restored near and spoiled; `group`: of one kind of span."""
    hits: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for case, examples in cases:
        mine = [e for e in examples if not group or e.met.choice.group == group]
        changes = {edited(e, far, near) for e in mine} - {case.text}
        name = "spoiled" if case.kind == "sound" else "near" if case.is_near else "far"
        hits[name][0] += bool(changes) if name == "spoiled" else changes == {case.sound}
        hits[name][1] += 1
    return {name: (hit, total) for name, (hit, total) in sorted(hits.items())}


def show(cases: Judged, title: str) -> None:
    print(f"\n{title}")
    for group in ("", *GROUPS):
        for far in FAR:
            told = tally(cases, far, 2.0, group)
            print(f"  {group or 'all':7} far {far}: {_told(told)}")
        for near in NEAR:
            told = tally(cases, 2.0, near, group)
            print(f"  {group or 'all':7} near {near}: {_told(told)}")


def _told(counts: dict[str, tuple[int, int]]) -> str:
    return ", ".join(f"{name} {hit}/{total}" for name, (hit, total) in counts.items())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds dev/")
    parser.add_argument("--weights", type=Path, help="a checkpoint; else the shipped weights")
    parser.add_argument("--tokenizer", type=Path, help="its tokenizer.json")
    options = parser.parse_args(arguments)
    if options.weights:
        extra = {"tokenizer": options.tokenizer} if options.tokenizer else {}
        reader = Reader.of_files(options.weights, **extra)
    else:
        reader = shipped()
    for name, swaps in dev_sets(options.data).items():
        show(judged(swaps, reader), name)


if __name__ == "__main__":
    main()
