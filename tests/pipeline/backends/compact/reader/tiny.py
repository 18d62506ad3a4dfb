"""A tiny random network with a tokenizer of a few words."""

import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import WordPiece
from torch import Tensor

from pipeline.backends.compact.reader.layout import CLS, MASK, PAD, SEP
from pipeline.backends.compact.reader.model import Reader
from pipeline.backends.compact.reader.network import NetworkConfig, ReaderNetwork

PIECES = (
    *("the", "mill", "##er", "##s", "stands", "by", "river", "it", "was", "built", "in", "of"),
    *("brick", "and", "stone", "has", "windows", "1852", "1904", "12", "2", "##2", ".", ","),
    *("-", "'", "?", "caf", "##e", "城", "市"),
)
SHAPE = NetworkConfig(
    vocabulary=160, positions=512, width=32, layers=2, heads=4, inner=48, pointer=8
)


def tiny_tokenizer() -> Tokenizer:
    """WordPiece over `PIECES`; the marks have BERT's own numbers, as the reader wants."""
    vocabulary = {"[PAD]": PAD, "[UNK]": 100, "[CLS]": CLS, "[SEP]": SEP, "[MASK]": MASK}
    vocabulary |= {piece: 104 + number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def tiny_network(seed: int = 0) -> ReaderNetwork:
    """Random weights, large enough that every input shows in every answer."""
    torch.manual_seed(seed)
    network = ReaderNetwork(SHAPE)
    with torch.no_grad():
        for weight in network.parameters():
            if weight.dim() == 2:
                weight.normal_(std=0.3)
    return network.eval()


def tiny_reader(**options: object) -> Reader:
    chosen = {"device": "cpu", **options}
    return Reader(tiny_network(), tiny_tokenizer(), **chosen)  # type: ignore[arg-type]


def checkpoint(path: Path, state: dict[str, Tensor] | None = None) -> Path:
    """A file of the tiny network's weights, or of others, as they are."""
    state = tiny_network().state_dict() if state is None else state
    save_file(state, path, metadata={"shape": json.dumps(asdict(SHAPE))})
    return path
