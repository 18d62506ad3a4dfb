"""The drawing of the packages' order in architecture.md, made from the import contracts.

`python docs/make_layers.py` writes it there; a test fails where it is old.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
DRAWING = re.compile(r"(?<=in `pyproject.toml`.\n).*(?=\nDecisions)", re.DOTALL)


def drawing() -> str:
    """A column of boxes for each contract with layers; a box imports only from those below."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    ordered = [each for each in contracts["contracts"] if each["type"] == "layers"]
    return "".join(f"\n{each['name']}:\n\n```\n{boxes(each['layers'])}\n```\n" for each in ordered)


def boxes(layers: list[str]) -> str:
    rows = [re.sub(r" [|:] ", " · ", layer) for layer in layers]
    width = max(map(len, rows))
    line = "─" * (width + 2)
    inside = f"\n├{line}┤\n".join(f"│ {row:^{width}} │" for row in rows)
    return f"┌{line}┐\n{inside}\n└{line}┘"


if __name__ == "__main__":
    PAGE.write_text(DRAWING.sub(lambda _: drawing(), PAGE.read_text()))
