"""How the reader stands on data that it never trains on: figures for the learning curve.

    python -m research.evaluate DATA --weights CHECKPOINT

The product's own figures, calibrated and combined, come from research/entailment.py.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from scipy.stats import rankdata
from tokenizers import Tokenizer

from pipeline.backends.compact.reader.network import ReaderNetwork
from pipeline.backends.compact.text.spans import mentions
from research.batches import Batch, batches
from research.corruption import places_of, sort_of, spoiled
from research.groups import Group, Hypothesis
from research.texts import rows, untokenised

FILES = ("attributionbench_dev", "wice_claim_dev", "qags_cnndm", "citint")


def area(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Area under the ROC curve; ties count half."""
    truth = np.array(labels) == 1
    ranks = rankdata(scores)
    positive, negative = truth.sum(), (~truth).sum()
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def dev_groups(folder: Path, name: str, most: int) -> list[tuple[Group, int, str]]:
    """(one pair, label, group of pairs of which the best counts) of the first `most` rows."""
    found = []
    for number, row in enumerate(rows(folder / "dev" / f"{name}.jsonl")):
        if number >= most:
            break
        group = Group(
            premise=row["premise"], hypotheses=(Hypothesis(text=row["hypothesis"]),), source=name
        )
        found.append((group, int(row["label"] == 1), str(row.get("group", number))))
    return found


def near_swaps(folder: Path, most: int) -> list[Group]:
    """Supported dev sentences with masked copies and copies that hold another of its values."""
    rng = random.Random(11)
    found: list[Group] = []
    for name in ("attributionbench_dev", "wice_claim_dev"):
        for row in rows(folder / "dev" / f"{name}.jsonl"):
            if row["label"] != 1 or len(row["premise"].split()) > 180:
                continue
            premise = untokenised(" ".join(row["premise"].split()))
            copies = spoiled(row["hypothesis"], premise, place=0, rng=rng, near=1, most=3)
            copies = [h for h in copies if h.label != "unsupported"]
            if any(h.beaten_by is not None for h in copies):
                sound = Hypothesis(text=row["hypothesis"], label="entailment")
                found.append(Group(premise=premise, hypotheses=(sound, *copies), source=name))
    return random.Random(5).sample(found, min(most, len(found)))


@torch.inference_mode()
def dev_scores(
    network: ReaderNetwork, tokenizer: Tokenizer, folder: Path, name: str, *, most: int
) -> tuple[list[int], list[float]]:
    """(labels, p(entailed)) of the first `most` rows of a dev file; of a group, its best row's."""
    network.eval()
    pairs = dev_groups(folder, name, most)
    scores = _entailed([group for group, _, _ in pairs], network, tokenizer)
    best: dict[str, tuple[float, int]] = {}
    for (_, label, key), score in zip(pairs, scores, strict=True):
        if score[0] >= best.get(key, (-1.0, 0))[0]:
            best[key] = (score[0], label)
    return [label for _, label in best.values()], [score for score, _ in best.values()]


@torch.inference_mode()
def swap_outcomes(
    network: ReaderNetwork, tokenizer: Tokenizer, folder: Path, *, most: int
) -> tuple[list[bool], list[bool]]:
    """Of near swaps, which rank under the sound sentence; of hidden values, which are found."""
    network.eval()
    swaps = near_swaps(folder, most)
    ahead: list[bool] = []
    for group, shares in zip(swaps, _entailed(swaps, network, tokenizer), strict=True):
        for hypothesis, share in zip(group.hypotheses, shares, strict=True):
            if hypothesis.beaten_by is not None:
                ahead.append(shares[0] > share)
    return ahead, [x for group in swaps for x in _pointed(group, network, tokenizer)]


def figures(
    network: ReaderNetwork, tokenizer: Tokenizer, folder: Path, *, most: int = 400
) -> dict[str, float]:
    """AUC of p(entailed) a dev file; of near swaps the share ranked under the sound sentence,
    and the share of hidden values that the pointer finds among the premise's like ones."""
    found = {name: area(*dev_scores(network, tokenizer, folder, name, most=most)) for name in FILES}
    ahead, right = swap_outcomes(network, tokenizer, folder, most=most // 2)
    found |= {"near ranked": float(np.mean(ahead)), "value pointed at": float(np.mean(right))}
    network.train()
    return found


def run(network: ReaderNetwork, batch: Batch) -> torch.Tensor:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden: torch.Tensor = network(batch.rows)
    return hidden.float()


def _entailed(
    groups: Sequence[Group], network: ReaderNetwork, tokenizer: Tokenizer
) -> list[list[float]]:
    """p(entailed) of each hypothesis of each group, in order."""
    found: list[list[float]] = []
    for group in groups:
        (batch,) = batches([group], tokenizer, tokens=1, rng=random.Random(0))
        hidden = run(network, batch)
        nli, _ = network.judge(hidden[batch.row_of, batch.first])
        found.append(nli.softmax(-1)[:, 0].tolist())
    return found


def _pointed(group: Group, network: ReaderNetwork, tokenizer: Tokenizer) -> list[bool]:
    """Of each hidden value, whether no like value of the premise gets a higher logit."""
    right: list[bool] = []
    for hypothesis in group.hypotheses:
        if hypothesis.mask is None:
            continue
        value = hypothesis.text[hypothesis.mask[0] : hypothesis.mask[1]]
        mine = next((m for m in mentions(hypothesis.text) if m.start == hypothesis.mask[0]), None)
        if mine is None or mine.text != value:
            continue
        others = [
            (m.start, m.end)
            for m in mentions(group.premise)
            if sort_of(m) == sort_of(mine) and value.lower() not in m.text.lower()
        ]
        places = places_of(value, group.premise)
        if not others or not places:
            continue
        scores = []
        for answers in (places, others):
            asked = Hypothesis(text=hypothesis.text, mask=hypothesis.mask, answers=tuple(answers))
            one = Group(premise=group.premise, hypotheses=(asked,), source="")
            (batch,) = batches([one], tokenizer, tokens=1, rng=random.Random(0))
            if batch.masks[0] < 0:
                break
            hidden = run(network, batch)
            start, end = network.point(hidden[batch.row_of, batch.masks], hidden[batch.row_of])
            scores.append(float(start[batch.starts].max() + end[batch.ends].max()))
        if len(scores) == 2:
            right.append(scores[0] > scores[1])
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--most", type=int, default=400)
    given = parser.parse_args()
    network = ReaderNetwork()
    network.load_state_dict(load_file(given.weights))
    tokenizer = Tokenizer.from_file(str(given.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    started = time.perf_counter()
    print(json.dumps(figures(network, tokenizer, given.data, most=given.most), indent=1))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
