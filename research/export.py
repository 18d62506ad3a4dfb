"""A checkpoint made ready to ship: int8 weights and the tokenizer, in the reader's folder.

    python -m research.export CHECKPOINT.safetensors

The tokenizer is that of the network that training started from. Its cutting and padding are
taken out, and its marks too: "[MASK]" in somebody's text is text.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import load_file
from safetensors.torch import save as packed
from torch import Tensor

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.network import NetworkConfig
from pipeline.rarr.errors import BadConfig
from research.mpnet import network_of, shape_of

ROOT = Path(__file__).parents[1]
LARGEST = 127
LARGEST_FILE = 39_900_000
"""Bytes of weights; 40 MB with the header."""


def plain_tokenizer(path: Path) -> str:
    """The tokenizer file's text without cutting, padding, marks and layout."""
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    tokenizer |= {
        "truncation": None, "padding": None, "post_processor": None, "added_tokens": [],
    }  # fmt: skip
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n"


def head_commit() -> str:
    """The commit that the working tree stands at; empty outside a repository."""
    asked = subprocess.run(  # noqa: S603  # our own words
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return asked.stdout.strip()


def export(
    checkpoint: Path, target: Path, *, shape: NetworkConfig | None = None, commit: str = ""
) -> None:
    """Write `checkpoint` in int8; raises `RuntimeError` where it does not fit the network."""
    if not checkpoint.is_file():
        raise BadConfig(f"There is no checkpoint {checkpoint}.")
    shape = shape or shape_of(checkpoint)
    state = load_file(checkpoint)
    network_of(shape).load_state_dict(state, assign=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    about = {
        "format": "rarrweb-reader-1", "shape": json.dumps(asdict(shape)),
        "source": digest(checkpoint), "commit": commit,
    }  # fmt: skip
    for path, part in split(in_int8(state), target).items():
        path.write_bytes(packed(part, metadata=about))


def split(state: Mapping[str, Tensor], target: Path) -> dict[Path, dict[str, Tensor]]:
    """The weights by the file that holds them: TARGET alone, or TARGET-1, -2, … of at most
    `LARGEST_FILE` bytes. A matrix and its scales stay together."""
    parts: list[dict[str, Tensor]] = [{}]
    for name in (name for name in state if not name.endswith(weights.SCALE)):
        both = {n: state[n] for n in (name, name + weights.SCALE) if n in state}
        if _bytes(parts[-1]) + _bytes(both) > LARGEST_FILE:
            parts.append({})
        parts[-1] |= both
    if len(parts) == 1:
        return {target: parts[0]}
    return {
        target.with_stem(f"{target.stem}-{number}"): part
        for number, part in enumerate(parts, start=1)
    }


def _bytes(state: Mapping[str, Tensor]) -> int:
    return sum(weight.numel() * weight.element_size() for weight in state.values())


def in_int8(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights as a file holds them: matrices in int8, the others rounded to bfloat16.

    The scale of a row is the smallest power of two that keeps every q, rounded to the nearest,
    within -127 … 127: no weight is off by more than half a scale.
    """
    kept: dict[str, Tensor] = {}
    for name, weight in state.items():
        weight = weight.detach().float()
        if weight.dim() == 2:
            # A row of zeros has no greatest weight: any scale will do.
            scale = (weight.abs().amax(1) / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
            scale = scale.log2().ceil().exp2()
            kept[name] = (weight / scale[:, None]).round().to(torch.int8).contiguous()
            kept[name + weights.SCALE] = scale
        else:
            kept[name] = weight.to(torch.bfloat16).float().contiguous()
    return kept


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="a state dict of ReaderNetwork")
    parser.add_argument("--to", type=Path, default=weights.WEIGHTS, help="default: %(default)s")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json; default: MiniLM's")
    given = parser.parse_args()
    try:
        export(given.checkpoint, given.to, commit=head_commit())
    except BadConfig as error:
        print(error, file=sys.stderr)  # the command's answer
        return 2
    beside = given.to.parent / weights.TOKENIZER.name
    if given.tokenizer or not beside.exists():
        from research.start import start_folder

        source = given.tokenizer or start_folder() / weights.TOKENIZER.name
        beside.write_text(plain_tokenizer(source), encoding="utf-8")
    for path in sorted(given.to.parent.glob(f"{given.to.stem}*{given.to.suffix}")):
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
