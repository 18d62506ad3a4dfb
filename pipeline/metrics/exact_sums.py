"""Sums over drawn passages or items, the same to the last bit on every machine.

A matrix product adds in an order of its own: another processor, number of threads or block of
rows gives another last digit. A sum of whole numbers of one small unit that never needs more than
53 bits is exact, and so the same in any order.
"""

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Counts = NDArray[np.int64] | Values

_BITS = 53
"""Of a float64's significand."""


def counted_sums(counts: Counts, values: Values) -> Values:
    """`counts @ values`: of (B, n) whole numbers >= 0 and (n,) or (n, k) finite values.

    Each column of values is rounded to a power of two of which every sum needs fewer than 2**53.
    For values up to 1.0 drawn 1,000 times that is 2e-13.

    >>> counted_sums(np.array([[2, 1]]), np.array([[0.5, 1.0], [0.25, 0.0]]))
    array([[1.25, 2.  ]])
    """
    most = int(counts.sum(axis=1).max(initial=0))
    _, exponents = np.frexp(np.abs(values).max(axis=0, initial=0.0))
    bits = _BITS - exponents - most.bit_length()
    sums: Values = counts @ np.ldexp(np.rint(np.ldexp(values, bits)), -bits)
    return sums
