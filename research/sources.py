"""The training files, read into groups. Only sets whose licence lets us ship what is learnt.

`epoch` gives the groups of one pass, in order of source; each pass makes other swaps. The
questions are in `questions.py`.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.backends.compact.text.spans import Mention, mentions
from research.calibration_split import is_kept_back
from research.corruption import (
    own_sentence,
    sort_of,
    spoiled,
    strangers_of,
)
from research.groups import Group, Hypothesis, absent, surrounded
from research.premise_context import (
    TITLED,
    among,
    cut,
    fitting,
    sought_again,
    without_its_sentence,
)
from research.questions import question_groups
from research.rewrites import rewritten_of
from research.sentence_joins import JOINED, joined
from research.texts import rows, sentences, untokenised
from research.wordnet import WordNet


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An NLI or attribution file and how it is used."""

    name: str
    share: float = 1.0
    """Of its premises, in each pass."""
    times: int = 1
    """How often each is met in a pass, with other swaps each time."""
    spoils: bool = True
    """Whether its supported sentences are also masked and swapped."""
    surrounds: float = 0.6
    """Share of its premises that stand among others."""
    drops: float = 0.3
    """Share of its premises that are also shown without the sentence that matters."""
    rewrites: float = 0.5
    """Share of its premises that are also shown with what `rewrites` makes of a supported
    hypothesis and of a sentence of their own."""


SOURCES = (
    Source(name="nli_fever_dev"),
    Source(name="nli_fool_me_twice", times=2),
    Source(name="nli_conjnli", share=0.4),
    Source(name="nli_fever_symmetric"),
    Source(name="nli_propsegment_dev", times=3),
    Source(name="nli_snli_devtest", share=0.25, spoils=False, drops=0.0, surrounds=0.3, rewrites=0.3),
    Source(name="nli_cad_nli", share=0.25, spoils=False, drops=0.0, surrounds=0.3, rewrites=0.3),
    Source(name="attribution_expertqa", times=4, surrounds=0.1),
    Source(name="attribution_factcheckgpt_stance", times=3, surrounds=0.1),
    Source(name="attribution_q2_wow", times=4),
)
LABELS: dict[Any, str] = {1: "supported", 0: "unsupported"}


def epoch(
    folder: Path, *, seed: int, wordnet: WordNet | None = None, rewrites: float = 1.0
) -> list[Group]:
    """All groups of one pass over FOLDER/train; texts that are too long are cut.

    Without `wordnet` nothing is rewritten; `rewrites` scales each source's share.
    """
    rng = random.Random(seed)
    found: list[Group] = []
    known: set[tuple[str, str]] = set()
    for source in SOURCES:
        source = replace(source, rewrites=source.rewrites * rewrites if wordnet else 0.0)
        found += _nli(folder / "train" / f"{source.name}.jsonl", source, rng, known, wordnet)
    found += question_groups(folder / "train", rng)
    return found


def _nli(
    path: Path,
    source: Source,
    rng: random.Random,
    known: set[tuple[str, str]],
    wordnet: WordNet | None,
) -> Iterator[Group]:
    by_premise: dict[str, list[Hypothesis]] = defaultdict(list)
    for row in rows(path):
        premise = untokenised(" ".join(row["premise"].split()))
        claim = " ".join(row["hypothesis"].split())
        if not claim or (premise, claim) in known or is_kept_back(premise):
            continue
        known.add((premise, claim))
        label = LABELS.get(row["label"], row["label"])
        wrong: tuple[tuple[int, int], ...] | None = ()
        if label not in {"entailment", "supported"}:
            wrong = None
        by_premise[premise].append(Hypothesis(text=claim, label=label, wrong=wrong))
    _balance(by_premise)
    premises = list(by_premise)
    claims = _by_word(by_premise)
    strangers = strangers_of(premises, rng)
    for number, premise in enumerate(premises * source.times):
        if rng.random() > source.share:
            continue
        hypotheses = list(by_premise[premise])
        rng.shuffle(hypotheses)
        for start in range(0, len(hypotheses), 6):
            part = hypotheses[start : start + 6]
            if source.spoils:
                part += _spoiled_copies(part, premise, rng, strangers)
                part += own_sentence(premise, len(part), rng, strangers)
                stranger = _stranger_claim(premise, claims, rng) or ""
                if rng.random() < JOINED:
                    part += joined(part, stranger, premise, rng)
                if stranger and rng.random() < 0.3:
                    missing = absent(stranger, premise)
                    part.append(Hypothesis(text=stranger, label="neutral", missing=missing))
            parts = [part]
            if wordnet and rng.random() < source.rewrites:
                parts.append(_rewrites(hypotheses[start : start + 6], premise, rng, wordnet))
            for part in filter(None, parts):
                group = Group(
                    premise=cut(premise, part, rng), hypotheses=tuple(part), source=source.name
                )
                if group.premise != premise:
                    group = sought_again(group)
                if rng.random() < source.drops:
                    yield from without_its_sentence(group, premises, number, rng)
                if rng.random() < source.surrounds:
                    group = among(group, premises, number, rng)
                elif source.spoils and rng.random() < TITLED:
                    names = [m.text for m in mentions(premise) if sort_of(m) == "name"]
                    group = surrounded(group, names[:1], [])
                yield from fitting(group, rng)


def _rewrites(
    part: Sequence[Hypothesis], premise: str, rng: random.Random, wordnet: WordNet
) -> list[Hypothesis]:
    own = [s for s in sentences(premise) if 6 <= len(s.split()) <= 35]
    if own:
        sentence = rng.choice(own)
        part = [Hypothesis(text=sentence, label="entailment", wrong=()), *part]
    return rewritten_of(part, premise, rng, wordnet)


def _balance(by_premise: dict[str, list[Hypothesis]]) -> None:
    """Let what is supported and what is not have as many votes, whatever the file's share."""
    all_of_them = [h for each in by_premise.values() for h in each]
    supported = sum(h.label in {"entailment", "supported"} for h in all_of_them)
    share = supported / max(1, len(all_of_them))
    if not 0.0 < share < 1.0:
        return
    for premise, each in by_premise.items():
        by_premise[premise] = [
            replace(
                h,
                vote=0.5 / (share if h.label in {"entailment", "supported"} else 1.0 - share),
            )
            for h in each
        ]


def _spoiled_copies(
    part: Sequence[Hypothesis], premise: str, rng: random.Random, strangers: Sequence[Mention]
) -> list[Hypothesis]:
    found: list[Hypothesis] = []
    for place, sound in enumerate(part):
        if sound.label in {"entailment", "supported"} and len(found) < 9:
            found += spoiled(sound.text, premise, place=place, rng=rng, strangers=strangers, most=2)
    return found


def _by_word(by_premise: dict[str, list[Hypothesis]]) -> dict[str, list[tuple[str, str]]]:
    """Claims by the names in them, to pair each with another claim's evidence."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for premise, hypotheses in by_premise.items():
        for hypothesis in hypotheses:
            for word in set(re.findall(r"[A-Z][a-z]{3,}", hypothesis.text)):
                found[word].append((premise, hypothesis.text))
    return found


def _stranger_claim(
    premise: str, claims: dict[str, list[tuple[str, str]]], rng: random.Random
) -> str | None:
    """A claim about other evidence that shares a name with this premise."""
    names = [w for w in set(re.findall(r"[A-Z][a-z]{3,}", premise)) if len(claims.get(w, ())) > 1]
    if not names:
        return None
    names.sort()
    theirs, claim = rng.choice(claims[rng.choice(names)])
    said = set(re.findall(r"\w+", premise.lower()))
    wanted = [w for w in re.findall(r"\w+", claim.lower()) if len(w) > 3]
    if theirs == premise or all(w in said for w in wanted):
        return None
    return claim
