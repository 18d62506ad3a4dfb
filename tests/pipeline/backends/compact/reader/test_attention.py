"""The reader's attention is that of torch, whichever way it is computed."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from pipeline.backends.compact.reader.attention import attend, mask_of
from pipeline.backends.compact.reader.layout import Row, encode, lay
from pipeline.backends.compact.reader.network import allowed_by
from tests.pipeline.backends.compact.reader.tiny import tiny_tokenizer

EVEN = 1e-5
"""What float32 sums in another order may differ by."""
MILL = "The mill stands by the river. It was built in 1852 of brick and stone."


def allowed() -> Tensor:
    """Who may attend to whom in two rows of the reader's own, one of them padded: (2, 1, L, L)."""
    premise, *hypotheses = encode(tiny_tokenizer(), [MILL, "It was built.", "The mill has 12."])
    rows = [
        Row(premise=premise, hypotheses=tuple(hypotheses)),
        Row(premise=hypotheses[0], hypotheses=(hypotheses[1],)),
    ]
    return allowed_by(lay(rows).segments)


def drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def inputs(length: int, *, asking: int | None = None) -> list[Tensor]:
    """Query, key and value of two rows, four heads, eight wide."""
    lengths = (asking or length, length, length)
    return [drawn(2, 4, n, 8, seed=seed) for seed, n in enumerate(lengths)]


@pytest.mark.parametrize("sharpness", [0.1, 1.0, 5.0])
def test_it_is_torchs_own(sharpness: float) -> None:
    may = allowed()
    query, key, value = inputs(may.shape[-1])
    query *= sharpness  # from shares that are all alike to nearly one alone
    found = attend(query, key, value, mask_of(may, torch.float32))
    # A mask of truth values, so that nothing of ours is on the other side.
    expected = functional.scaled_dot_product_attention(query, key, value, attn_mask=may)
    assert 0.1 < may.float().mean() < 0.9
    torch.testing.assert_close(found, expected, atol=EVEN, rtol=0)


def test_so_is_what_is_learnt_through_it() -> None:
    may = allowed()[:1]
    slopes = []
    for mine in (True, False):
        given = [each[:1].clone().requires_grad_() for each in inputs(may.shape[-1])]
        if mine:
            found = attend(*given, mask_of(may, torch.float32))
        else:
            found = functional.scaled_dot_product_attention(*given, attn_mask=may)
        (found * drawn(*found.shape, seed=9)).sum().backward()
        slopes.append([each.grad for each in given])
    for one, other in zip(*slopes, strict=True):
        torch.testing.assert_close(one, other, atol=EVEN, rtol=0)


def test_some_tokens_may_ask_alone() -> None:
    may = allowed()[..., -5:, :][:1]
    query, key, value = (each[:1] for each in inputs(may.shape[-1], asking=5))
    found = attend(query, key, value, mask_of(may, torch.float32))
    expected = functional.scaled_dot_product_attention(query, key, value, attn_mask=may)
    torch.testing.assert_close(found, expected, atol=EVEN, rtol=0)


def test_what_is_not_allowed_changes_nothing_at_all() -> None:
    may = allowed()[:1]
    query, key, value = (each[:1] for each in inputs(may.shape[-1]))
    mask = mask_of(may, torch.float32)
    before = attend(query, key, value, mask)
    # The premise, first in the row, may not attend to the hypotheses, the last of it.
    assert not may[0, 0, 0, -1]
    key[..., -1, :], value[..., -1, :] = 1e4, -1e4
    after = attend(query, key, value, mask)
    assert torch.equal(before[:, :, 0], after[:, :, 0])
    assert not torch.equal(before[:, :, -1], after[:, :, -1])


def test_bfloat16_is_close_and_stays_bfloat16() -> None:
    may = allowed()[:1]
    given = [each[:1] for each in inputs(may.shape[-1])]
    exact = attend(*given, mask_of(may, torch.float32))
    low = [each.to(torch.bfloat16) for each in given]
    found = attend(*low, mask_of(may, torch.bfloat16))
    assert found.dtype is torch.bfloat16
    torch.testing.assert_close(found.float(), exact, atol=0.05, rtol=0)


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
def test_a_token_that_may_attend_to_nothing_is_no_nan(precision: torch.dtype) -> None:
    query, key, value = (each.to(precision) for each in inputs(6))
    nothing = torch.zeros(2, 1, 6, 6, dtype=torch.bool)
    assert attend(query, key, value, mask_of(nothing, precision)).isfinite().all()
