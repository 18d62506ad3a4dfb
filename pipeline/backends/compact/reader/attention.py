"""Attention under a mask, in the way that is fastest where it runs."""

import torch
from torch import Tensor
from torch.nn import functional


def mask_of(allowed: Tensor, precision: torch.dtype) -> Tensor:
    """What is added to the scores: 0 where `allowed`, the least number elsewhere."""
    least = torch.finfo(precision).min
    return torch.zeros(allowed.shape, dtype=precision, device=allowed.device).masked_fill_(
        ~allowed, least
    )


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention over (B, heads, L, width of a head) under a mask (B, 1, L, L).

    On a CPU two products and a softmax take half the time of torch's fused attention, which
    counts every tile in float32, and a third of it backwards; the scores' memory is small there.
    """
    if query.device.type != "cpu":
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    scores = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-1, -2))
    scores = scores.add_(mask)
    # In place where nothing is learnt: to take fresh memory takes longer than the softmax.
    into = scores if torch.is_inference_mode_enabled() else None
    shares = torch.softmax(scores, -1, out=into)
    return torch.matmul(shares.to(value.dtype), value)
