"""Which training premises the reader never sees, so that what stands on it can be fitted.

A combination fitted on rows that the reader has learnt by heart would trust it too much.
"""

import hashlib
import re

ONE_IN = 12


def is_kept_back(premise: str) -> bool:
    """Whether the premise, whatever its spaces, marks and case, is one of the one in twelve.

    >>> is_kept_back("The mill , built in 1902 .") == is_kept_back("the mill, built in 1902.")
    True
    """
    words = re.sub(r"\W+", "", premise.lower())
    return hashlib.sha256(words.encode()).digest()[0] % ONE_IN == 0
