"""The reader's weights: int8 with a scale per row, in safetensors (`research/export.py`)."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.rarr.errors import BadConfig

if TYPE_CHECKING:
    from torch import Tensor

    from pipeline.backends.compact.reader.network import NetworkConfig, ReaderNetwork

SCALE = ".scale"
FOLDER = Path(__file__).parent / "weights"
WEIGHTS = FOLDER / "reader.safetensors"
TOKENIZER = FOLDER / "tokenizer.json"


def load(path: Path) -> "dict[str, Tensor]":
    """Load an exported file or a plain checkpoint as float32; raises `BadConfig`."""
    with _opened(path) as file:
        names = set(file.keys())
        scales = {name + SCALE for name in names} & names
        state = {name: file.get_tensor(name).float() for name in sorted(names - scales)}
        for scale in scales:
            state[scale.removesuffix(SCALE)] *= file.get_tensor(scale)[:, None]
    return state


def shape_of(path: Path) -> "NetworkConfig":
    """Return the file's network sizes, for a plain checkpoint MiniLM's."""
    from pipeline.backends.compact.reader.network import NetworkConfig

    with _opened(path) as file:
        about = file.metadata() or {}
    return NetworkConfig(**json.loads(about.get("shape", "{}")))


def uninitialized_network(shape: "NetworkConfig") -> "ReaderNetwork":
    """Return a network without initialized weights.

    torch's device "meta" would import sympy: 70 MB and a second.
    """
    from torch.overrides import TorchFunctionMode

    from pipeline.backends.compact.reader.network import ReaderNetwork

    class Undrawn(TorchFunctionMode):
        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if getattr(function, "__module__", "") == "torch.nn.init":
                return args[0] if args else kwargs["tensor"]
            return function(*args, **(kwargs or {}))

    with Undrawn():
        return ReaderNetwork(shape)


def _opened(path: Path):  # type: ignore[no-untyped-def]  # untyped in safetensors
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise BadConfig(
            f"The reader's weights are not at {path}: install rarrweb again, or export a "
            "checkpoint with `python -m research.export`."
        )
    try:
        return safe_open(path, framework="pt")
    except (SafetensorError, OSError) as error:
        raise BadConfig(f"{path} is no safetensors file: {error}.") from None
