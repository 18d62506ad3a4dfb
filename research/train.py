"""Train the reader: resumable, seeded, bfloat16 on a CPU.

    python -m research.train DATA --out FOLDER [--hours 2 | --steps N]

Reads DATA/train, looks at DATA/dev for the learning curve only, and writes to FOLDER
`latest.safetensors` (the running mean of the weights, which is what is used), `state.pt`
(to go on from) and `curve.jsonl`. Started again with the same FOLDER it goes on where it was.
The learning rate rises, stays, and falls to zero over the last part of --hours or --steps.
"""

import argparse
import json
import math
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

from pipeline.backends.compact.reader.network import NetworkConfig, ReaderNetwork
from pipeline.backends.compact.text import parsing
from research import wordnet as wordnets
from research.batches import Batch, batches
from research.evaluate import figures
from research.groups import Group
from research.losses import Weights, losses
from research.mpnet import network_of
from research.sources import epoch
from research.start import start_folder, start_network, tokenizer_of
from research.wordnet import WordNet, wordnet_of

TRUNK_RATE, HEAD_RATE = 1.5e-4, 6e-4
WARM_UP = 150
"""Steps over which the learning rate rises."""
FALLS_FROM = 0.7
"""Share of the time after which it falls."""
MEAN = 0.998
"""What each step leaves of the running mean of the weights."""
HEADS_ALONE = ("relevance", "unsupported", "asking", "answering")
"""The heads that may learn on over a trunk and a verdict that stay: see `average`."""
CHUNK = 3000
"""Groups that are sorted by length together."""
PARSES = 3_000_000
"""Tokens whose parse is remembered, some 3 GB: one pass asks many times for each premise's."""


def parts(
    network: ReaderNetwork, *, heads_alone: bool = False, trunk_rate: float = TRUNK_RATE
) -> list[dict[str, Any]]:
    """The parameters with their highest learning rates; word embeddings stay as they are, and with
    `heads_alone` all but `HEADS_ALONE`."""
    network.words.weight.requires_grad_(False)
    for name, weight in network.named_parameters() if heads_alone else ():
        weight.requires_grad_(name.startswith(HEADS_ALONE))
    heads = ("pooled", "nli", "relevance", "unsupported", "asking", "answering", "matched")
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = defaultdict(list)
    for name, weight in network.named_parameters():
        if weight.requires_grad:
            rate = HEAD_RATE if name.startswith(heads) else trunk_rate
            groups[rate, 0.01 if weight.dim() > 1 else 0.0].append(weight)
    return [
        {"params": weights, "lr": rate, "highest": rate, "weight_decay": decay}
        for (rate, decay), weights in groups.items()
    ]


def rate(step: int, share: float) -> float:
    """The learning rate as a share of its highest, after `step` steps and `share` of the time."""
    rising = min(1.0, (step + 1) / WARM_UP)
    falling = min(1.0, max(0.0, (1.0 - share) / (1.0 - FALLS_FROM)))
    return rising * falling


def all_batches(
    data: Path, tokenizer: Tokenizer, *, tokens: int, seed: int, skip: int,
    wordnet: WordNet | None = None, rewrites: float = 1.0,
) -> Iterator[tuple[int, Batch]]:  # fmt: skip
    """(chunks begun, batch) for ever; the first `skip` chunks are passed over."""
    number = 0
    for turn in range(1000):
        groups: list[Group] = epoch(
            data, seed=seed * 1000 + turn, wordnet=wordnet, rewrites=rewrites
        )
        random.Random(seed * 1000 + turn).shuffle(groups)
        for start in range(0, len(groups), CHUNK):
            number += 1
            if number > skip:
                rng = random.Random(seed * 100_000 + number)
                for batch in batches(
                    groups[start : start + CHUNK], tokenizer, tokens=tokens, rng=rng
                ):
                    yield number, batch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds train/ and dev/")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="MiniLM's folder, or a reader's weights file")
    parser.add_argument("--heads-alone", action="store_true", help="keep the trunk and the verdict")
    parser.add_argument("--hours", type=float, default=1.7, help="of training, in all")
    parser.add_argument("--steps", type=int, help="instead of --hours: the same whatever else runs")
    parser.add_argument("--tokens", type=int, default=5000, help="a batch, padded")
    parser.add_argument("--look-every", type=float, default=12, help="minutes")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trunk-rate", type=float, default=TRUNK_RATE, help="default: %(default)s")
    parser.add_argument("--wordnet", type=Path, default=wordnets.FOLDER, help="default: %(default)s")
    parser.add_argument("--rewrites", type=float, default=1.0, help="scales their share; 0: none")
    for name in ("nli", "rank", "doubt", "some_doubt", "point", "relevance"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, dest=f"weight_{name}")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    parsing.CACHED_TOKENS = PARSES
    parsing.clear_cache()
    given.out.mkdir(parents=True, exist_ok=True)
    folder = given.start or start_folder()
    chosen = {
        name.removeprefix("weight_"): value
        for name, value in vars(given).items()
        if name.startswith("weight_") and value is not None
    }
    train(
        data=given.data, out=given.out, folder=folder, seconds=given.hours * 3600,
        tokens=given.tokens, look_every=given.look_every * 60, seed=given.seed,
        weights=Weights(**chosen), steps=given.steps, heads_alone=given.heads_alone,
        wordnet=wordnet_of(given.wordnet) if given.rewrites else None, rewrites=given.rewrites,
        trunk_rate=given.trunk_rate,
    )  # fmt: skip


def train(
    *, data: Path, out: Path, folder: Path, seconds: float, tokens: int, look_every: float,
    seed: int, weights: Weights, steps: int | None = None, heads_alone: bool = False,
    wordnet: WordNet | None = None, rewrites: float = 1.0, trunk_rate: float = TRUNK_RATE,
) -> None:  # fmt: skip
    """Train for `seconds`, or for `steps` where that is given, and leave the results in `out`."""
    tokenizer = tokenizer_of(folder)
    network = start_network(folder, seed)
    optimizer = torch.optim.AdamW(
        parts(network, heads_alone=heads_alone, trunk_rate=trunk_rate), betas=(0.9, 0.98), eps=1e-6
    )
    mean = {name: value.clone() for name, value in network.state_dict().items()}
    step, spent, chunk, seen, looked = 0, 0.0, 0, 0, 0.0
    state = out / "state.pt"
    if state.exists():
        saved = torch.load(state, weights_only=True)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        mean, step, spent, seen = saved["mean"], saved["step"], saved["spent"], saved["seen"]
        chunk, looked = saved["chunk"], saved["looked"]
    network.train()
    sums: dict[str, list[float]] = defaultdict(list)
    last = saved_at = time.monotonic()
    for number, batch in all_batches(
        data, tokenizer, tokens=tokens, seed=seed, skip=chunk, wordnet=wordnet, rewrites=rewrites
    ):
        share = min(1.0, step / steps if steps else spent / seconds)
        for part in optimizer.param_groups:
            part["lr"] = part["highest"] * rate(step, share)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = network(batch.rows)
        found = losses(network, batch, hidden.float())
        total = torch.stack([getattr(weights, name) * x for name, x in found.items()]).sum()
        optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step, seen = step + 1, seen + batch.tokens
        keep = min(MEAN, (step + 1) / (step + 10))
        for name, value in network.state_dict().items():
            mean[name].lerp_(value, 1 - keep)
        for name, value in found.items():
            sums[name].append(float(value.detach()))
        now = time.monotonic()
        spent, last = spent + now - last, now
        done = step >= steps if steps else spent >= seconds
        if step % 100 == 0:
            row = {name: round(math.fsum(x) / len(x), 4) for name, x in sums.items()}
            print(f"{step} {spent:.0f}s {seen / spent:.0f} tok/s", json.dumps(row), flush=True)
            sums.clear()
        if done or now - saved_at > 240 or spent - looked > look_every:
            saved_at = now
            save(mean, out / "latest.safetensors", network.shape)
            if spent - looked > look_every or (done and math.isfinite(look_every)):
                looked = spent
                row = {"step": step, "seconds": spent, "tokens": seen}
                row |= _look(mean, network.shape, tokenizer, data)
                print(json.dumps(row), flush=True)
                with (out / "curve.jsonl").open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            # A chunk that was begun is read again: a resumed run differs, and loses nothing.
            kept = {
                "network": network.state_dict(), "optimizer": optimizer.state_dict(),
                "mean": mean, "step": step, "spent": spent, "seen": seen, "chunk": number - 1,
                "looked": looked,
            }  # fmt: skip
            torch.save(kept, out / "state.part")
            (out / "state.part").replace(state)
            last = time.monotonic()
        if done:
            break


def save(weights: dict[str, torch.Tensor], path: Path, shape: NetworkConfig) -> None:
    part = path.with_suffix(f".{os.getpid()}")
    save_file({name: value.contiguous() for name, value in weights.items()}, part,
              metadata={"shape": json.dumps(asdict(shape))})  # fmt: skip
    part.replace(path)


def _look(
    mean: dict[str, torch.Tensor], shape: NetworkConfig, tokenizer: Tokenizer, data: Path
) -> dict[str, float]:
    network = network_of(shape)
    network.load_state_dict(mean)
    return {name: round(x, 4) for name, x in figures(network, tokenizer, data).items()}


if __name__ == "__main__":
    main()
