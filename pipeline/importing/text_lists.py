"""Lists that tools write into the cell of a table: JSON, or Python's notation."""

import ast
import io
import json
import tokenize
from typing import Any

MAX_CHARACTERS = 1_000_000


def as_list(given: Any) -> Any:
    """Return the list that a text holds, a list of any other text, and [] for None.

    >>> as_list("['One.', 'Two.']"), as_list('["One."]'), as_list("One."), as_list(None)
    (['One.', 'Two.'], ['One.'], ['One.'], [])
    >>> as_list("['One.' 'Two.']")  # as NumPy writes it
    ['One.', 'Two.']
    """
    if given is None:
        return []
    if not isinstance(given, str):
        return given
    text = given.strip()
    if text.startswith("array("):
        text = text.removeprefix("array(").rpartition("]")[0] + "]"
    if not text.startswith("["):
        return [given] if text else []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _python_list(text)
    return value if isinstance(value, list) else [given]


def _python_list(text: str) -> Any:
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        value = ast.literal_eval(text)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            tokens = tokenize.generate_tokens(io.StringIO(text).readline)
            return [
                ast.literal_eval(each.string) for each in tokens if each.type == tokenize.STRING
            ]
    except (ValueError, SyntaxError, MemoryError, RecursionError, tokenize.TokenError):
        return None
    return value
