"""One checksum of all constants that were fitted or chosen on data beside the weights.

Each of them changes verdicts, gates or figures as the weights do, so a run freezes both.
"""

import hashlib
import json
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pipeline.backends.compact.text import parsing

_COMPACT = "pipeline.backends.compact"
MODULES = (
    f"{_COMPACT}.revision.thresholds",
    f"{_COMPACT}.revision.ranking_coefficients",
    f"{_COMPACT}.entailment.coefficients",
)
"""Tables of numbers and nothing else: what the fits write, and the gate's thresholds."""
TABLES = (Path(__file__).parent / "entailment" / "idf.txt",)
"""Files of numbers that a fit writes."""
DIGITS = 16


def digest() -> str:
    """16 hexadecimal digits over the values of today's constants, whatever their layout."""
    return digest_of(map(import_module, MODULES), tables=TABLES, parser=parsing.identity())


def digest_of(
    modules: Iterable[ModuleType], *, tables: Iterable[Path] = (), parser: str = ""
) -> str:
    """The same over the public constants of `modules` and the bytes of `tables`."""
    values: dict[str, Any] = {
        name: value for module in modules for name, value in vars(module).items() if name.isupper()
    }
    values["parser"] = parser
    values |= {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tables}
    text = json.dumps(values, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
