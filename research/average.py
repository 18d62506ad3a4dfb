"""The weighted mean of two checkpoints from one start, one trained for long and one briefly.

    python -m research.average LATE EARLY --early-share 0.25 --out FILE

Long claims lose by long training what short ones gain; in the mean most of both is kept. What
points and doubts is sharper in LATE, so its own heads are taken, and learn on from there:
`train --start FILE --heads-alone`.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor

from pipeline.backends.compact.reader import weights
from research.mpnet import shape_of
from research.train import HEADS_ALONE


def averaged(
    late: Mapping[str, Tensor], early: Mapping[str, Tensor], early_share: float
) -> dict[str, Tensor]:
    """Each weight's mean; of the heads that learn on, LATE's own."""
    return {
        name: (
            value if name.startswith(HEADS_ALONE) else value.lerp(early[name], early_share)
        ).contiguous()
        for name, value in late.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("late", type=Path, help="a reader's weights file, or a checkpoint")
    parser.add_argument("early", type=Path)
    parser.add_argument("--early-share", type=float, default=0.25)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    late, early = (weights.load(path) for path in (given.late, given.early))
    shape = json.dumps(asdict(shape_of(given.late)))
    save_file(averaged(late, early, given.early_share), given.out, metadata={"shape": shape})


if __name__ == "__main__":
    main()
