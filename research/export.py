"""A checkpoint made ready to ship: int8 weights and the tokenizer, in the reader's folder.

    python -m research.export CHECKPOINT.safetensors

The tokenizer is that of the network that training started from. Its cutting and padding are
taken out, and its marks too: "[MASK]" in somebody's text is text.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from safetensors.torch import load_file

from pipeline.backends.compact.reader import weights
from pipeline.backends.compact.reader.network import Shape
from pipeline.rarr.errors import BadConfig

ROOT = Path(__file__).parents[1]


def plain_tokenizer(path: Path) -> str:
    """The tokenizer file's text without cutting, padding, marks and layout."""
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    tokenizer |= {
        "truncation": None, "padding": None, "post_processor": None, "added_tokens": [],
    }  # fmt: skip
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n"


def head_commit() -> str:
    """The commit that the working tree stands at; empty outside a repository."""
    asked = subprocess.run(  # noqa: S603  # our own words
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return asked.stdout.strip()


def export(checkpoint: Path, target: Path, *, shape: Shape | None = None, commit: str = "") -> None:
    """Write `checkpoint` in int8; raises `BadConfig` where it does not fit the network."""
    shape = shape or Shape()
    if not checkpoint.is_file():
        raise BadConfig(f"There is no checkpoint {checkpoint}.")
    state = load_file(checkpoint)
    weights.fits(state, shape, checkpoint)
    target.parent.mkdir(parents=True, exist_ok=True)
    origin = weights.Origin(source=weights.digest(checkpoint), commit=commit)
    weights.save(state, target, shape=shape, origin=origin)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkpoint", type=Path, help="a state dict of ReaderNetwork")
    parser.add_argument("--to", type=Path, default=weights.WEIGHTS, help="default: %(default)s")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json; default: MiniLM's")
    given = parser.parse_args()
    try:
        export(given.checkpoint, given.to, commit=head_commit())
    except BadConfig as error:
        print(error, file=sys.stderr)  # the command's answer
        return 2
    beside = given.to.parent / weights.TOKENIZER.name
    if given.tokenizer or not beside.exists():
        from research.start import start_folder

        source = given.tokenizer or start_folder() / weights.TOKENIZER.name
        beside.write_text(plain_tokenizer(source), encoding="utf-8")
    print(f"{given.to}: {given.to.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
