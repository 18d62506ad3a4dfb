"""Groups as tensors: each target stands at the token that it is about."""

import random

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from pipeline.backends.compact.reader.layout import MASK
from pipeline.backends.compact.reader.network import ReaderNetwork, Shape
from pipeline.backends.compact.training.batches import SUPPORTED, Batch, batches
from pipeline.backends.compact.training.groups import Group, Hypothesis
from pipeline.backends.compact.training.losses import Weights, losses

WORDS = "the mill was built in 1902 1931 it burnt down who ? .".split()  # noqa: SIM905
TINY = Shape(vocabulary=140, positions=300, width=24, layers=2, heads=2, inner=48, pointer=8)


@pytest.fixture
def tokenizer() -> Tokenizer:
    vocabulary = {"[UNK]": 100} | {word: 104 + i for i, word in enumerate(WORDS)}
    made = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    return made


PREMISE = "the mill was built in 1902 . it burnt down in 1931 ."
SOUND = "the mill was built in 1902 ."
GROUP = Group(
    premise=PREMISE,
    hypotheses=(
        Hypothesis(text=SOUND, label="entailment", wrong=()),
        Hypothesis(text=SOUND, mask=(22, 26), answers=((22, 26),)),
        Hypothesis(
            text="the mill was built in 1931 .", label="contradiction", wrong=((22, 26),),
            beaten_by=0,
        ),
        Hypothesis(text="who built it ?", mask=(14, 14), relevant=True),
        Hypothesis(text="it burnt down .", label="supported"),
    ),
    source="made",
)  # fmt: skip


def one(tokenizer: Tokenizer, *groups: Group) -> Batch:
    (batch,) = batches(groups, tokenizer, tokens=5000, rng=random.Random(1))
    return batch


def test_every_target_has_its_place(tokenizer: Tokenizer) -> None:
    batch = one(tokenizer, GROUP)
    ids = batch.rows.ids[0]
    assert batch.labels.tolist() == [0, -1, 2, -1, SUPPORTED]
    assert batch.beaten_by.tolist() == [-1, -1, 0, -1, -1]
    assert batch.relevant.tolist() == [-1, -1, -1, 1, -1]
    year = 104 + WORDS.index("1902")
    assert ids[batch.starts[1]].tolist() == [year] == ids[batch.ends[1]].tolist()
    assert batch.starts[3].nonzero().flatten().tolist() == [0]
    assert [int(ids[p]) for p in batch.masks if p >= 0] == [MASK, MASK]
    wrong = ids[batch.doubts[0] == 1].tolist()
    assert wrong == [104 + WORDS.index("1931")]
    assert (batch.doubts[0] == 0).sum() == 7 + 6


def test_an_answer_that_was_cut_off_is_not_asked_for(tokenizer: Tokenizer) -> None:
    far = Group(
        premise=f"{'it ' * 300}1902",
        hypotheses=(Hypothesis(text=SOUND, mask=(22, 26), answers=((900, 904),)),),
        source="made",
    )
    assert one(tokenizer, far).masks.tolist() == [-1]


def test_rows_of_like_length_share_a_batch_within_the_limit(tokenizer: Tokenizer) -> None:
    groups = [
        Group(premise="it " * n, hypotheses=(Hypothesis(text="it", label="neutral"),), source="")
        for n in (5, 90, 5, 90, 5)
    ]
    found = list(batches(groups, tokenizer, tokens=120, rng=random.Random(1)))
    assert sorted(tuple(b.rows.ids.shape) for b in found) == [(1, 95), (1, 95), (3, 10)]
    assert sum(b.tokens for b in found) == 2 * 95 + 3 * 10


def test_each_loss_falls_when_its_target_is_learnt(tokenizer: Tokenizer) -> None:
    torch.manual_seed(3)
    network, batch = ReaderNetwork(TINY), one(tokenizer, GROUP, GROUP)
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)

    def now() -> dict[str, float]:
        return {k: v.item() for k, v in losses(network, batch, network(batch.rows)).items()}

    before = now()
    assert set(before) == {"nli", "rank", "relevance", "doubt", "point"}
    for _ in range(60):
        found = losses(network, batch, network(batch.rows))
        total = sum(getattr(Weights(), name) * value for name, value in found.items())
        optimizer.zero_grad()
        total.backward()  # type: ignore[union-attr]
        optimizer.step()
    after = now()
    assert all(after[name] < 0.5 * before[name] for name in before), (before, after)


def test_what_is_wrong_somewhere_must_be_doubted_somewhere(tokenizer: Tokenizer) -> None:
    wrong = Group(
        premise=PREMISE, hypotheses=(Hypothesis(text=SOUND, label="unsupported"),), source="made"
    )
    network, batch = ReaderNetwork(TINY), one(tokenizer, wrong)
    assert set(losses(network, batch, network(batch.rows))) == {"nli", "some_doubt"}
