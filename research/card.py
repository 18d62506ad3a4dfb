"""Write the model card: what people know of the model, with what was measured.

    python -m research.card --figures FIGURES.json
        [--ablations ABLATIONS.json …] [--weights FILE] [--facts FILE] [--date YYYY-MM-DD]

Writes card.json beside the reader and docs/model-card.md, both or neither. With --check it
writes nothing, and says whether both are in step with card_facts.json and the weights.

FIGURES.json: {"headline": "attributionbench_dev", "figures": [Figure, …], "measures": [Measure, …]}
ABLATIONS.json, a table each: {"title": …, "what": …, "columns": [{"title", "n"}],
"rows": [{"name", "cells": […]}]}

Their fields are those of card.json. An interval is {"value", "low", "high"}, or in short
[value, low, high], or a number where there is none.
Exit status: 0 written (or in step), 2 not, with the reason on standard error.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from pipeline.backends.compact.reader import weights
from pipeline.backends.model_cards import in_digits
from pipeline.rarr.errors import RarrError
from research.export import digest

CARD = Path(weights.__file__).with_name("card.json")
FACTS = Path(__file__).parent / "card_facts.json"
TEXT = Path(__file__).parents[1] / "docs/model-card.md"
_FIGURE = dict.fromkeys(("groups", "baseline", "accuracy", "ece"))
_MEASURE = {"dataset": "", "unit": "", "n": None, "baseline": ""}
"""What a figure and a measure may lack."""
_INTERVALS = ("auc", "accuracy", "figure")
_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=select_autoescape(["html"]),
    undefined=StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)
_PAGES.filters |= {
    "number": lambda number: "–" if number is None else f"{number:,}",
    "share": lambda value: "–" if value is None else f"{value:.2f}",
    "digits": lambda figure, **unit: "–" if figure is None else in_digits(figure, **unit),
}


def make_card(
    facts: Mapping[str, Any],
    figures: Mapping[str, Any],
    ablations: Sequence[Mapping[str, Any]],
    *,
    about: Mapping[str, Any],
    date: str,
) -> dict[str, Any]:
    """The card of plain values; a test of the product checks what is shipped."""
    return {
        "facts": _facts(facts),
        "date": date,
        "weights": about,
        "headline": figures["headline"],
        "figures": [_with_intervals(_FIGURE | each) for each in figures["figures"]],
        "measures": [_with_intervals(_MEASURE | each) for each in figures.get("measures", ())],
        "ablations": [
            {**table, "rows": [
                {**row, "cells": [_interval(cell) for cell in row["cells"]]}
                for row in table["rows"]
            ]}
            for table in ablations
        ],
    }  # fmt: skip


def weights_at(path: Path) -> dict[str, Any]:
    """What a card says of a weights file; raises `OSError`."""
    state = weights.load(path)
    return {
        "file": path.name,
        "sha256": digest(path),
        "bytes": path.stat().st_size,
        "parameters": sum(each.numel() for each in state.values()),
    }


def out_of_step(card_path: Path, text_path: Path, *, facts: Path, weights_path: Path) -> str:
    """What does not agree with the card, in a sentence; "" where all does."""
    card = _read(card_path)
    if card["facts"] != _facts(_read(facts)):
        return f"{card_path.name} says other things than {facts.name}: write it again."
    if text_path.read_text(encoding="utf-8") != card_text(card):
        return f"{text_path.name} is not what {card_path.name} says: write it again."
    if digest(weights_path) != card["weights"]["sha256"]:
        return f"{card_path.name} is of other weights than {weights_path.name}: measure again."
    return ""


def card_text(card: Mapping[str, Any]) -> str:
    """The page docs/model-card.md; it ends with a line break."""
    page = _PAGES.get_template("card_page.md.jinja")
    return page.render(card=card, facts=card["facts"], weights=card["weights"])


def _facts(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {**plain, "data": [{"is_share_alike": False} | each for each in plain["data"]]}


def _with_intervals(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _interval(value) if name in _INTERVALS else value for name, value in plain.items()
    }


def _interval(value: Any) -> Any:
    """An interval as the card has it, from any of its short forms."""
    if isinstance(value, int | float):
        value = [value]
    if isinstance(value, list):
        value = dict(zip(("value", "low", "high"), value, strict=False))
    return value and {"low": None, "high": None} | value


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name} is no JSON: {error}") from None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m research.card",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--figures", type=Path, help="what was measured")
    parser.add_argument(
        "--ablations", type=Path, nargs="+", default=(), help="the ablations, if there are any"
    )
    parser.add_argument("--facts", type=Path, default=FACTS, help="what people know of the model")
    parser.add_argument("--weights", type=Path, default=weights.WEIGHTS)
    parser.add_argument("--date", default="", help="the day of the measurements (default: today)")
    parser.add_argument("--card", type=Path, default=CARD, help="where the card is written")
    parser.add_argument("--text", type=Path, default=TEXT, help="where the page is written")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, say what is not in step"
    )
    options = parser.parse_args(arguments)
    try:
        if options.check:
            fault = out_of_step(
                options.card, options.text, facts=options.facts, weights_path=options.weights
            )
            if fault:
                raise ValueError(fault)
            return 0
        if not options.figures:
            parser.error("give --figures, or --check")
        card = make_card(
            _read(options.facts),
            _read(options.figures),
            [_read(path) for path in options.ablations],
            about=weights_at(options.weights),
            date=options.date or datetime.now(UTC).date().isoformat(),
        )
    except (RarrError, OSError, KeyError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    text = json.dumps(card, ensure_ascii=False, indent=2)
    options.card.write_text(f"{text}\n", encoding="utf-8")
    options.text.write_text(card_text(card), encoding="utf-8")
    sys.stderr.write(f"Written: {options.card.name}, {options.text.name}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
