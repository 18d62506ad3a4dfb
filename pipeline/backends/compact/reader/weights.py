"""The reader's weights: int8 with a scale per row, in safetensors (`research/export.py`)."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.rarr.errors import BadConfig

if TYPE_CHECKING:
    from torch import Tensor

    from pipeline.backends.compact.reader.network import NetworkConfig, ReaderNetwork

FORMAT = "rarrweb-reader-1"
SCALE = ".scale"
FOLDER = Path(__file__).parent / "weights"
WEIGHTS = FOLDER / "reader.safetensors"
TOKENIZER = FOLDER / "tokenizer.json"


def load(path: Path) -> "dict[str, Tensor]":
    """Load an exported file or a plain checkpoint as float32; raises `BadConfig`."""
    with _opened(path) as file:
        made_by = (file.metadata() or {}).get("format", "")
        if made_by.startswith("rarrweb-reader") and made_by != FORMAT:
            raise BadConfig(
                f"{path} has the format {made_by}, and this version reads {FORMAT}: export the "
                "weights again."
            )
        names = set(file.keys())
        scales = {name + SCALE for name in names} & names
        state = {name: file.get_tensor(name).float() for name in sorted(names - scales)}
        for scale in scales:
            state[scale.removesuffix(SCALE)] *= file.get_tensor(scale)[:, None]
    fits(state, shape_of(path), path)
    return state


def shape_of(path: Path) -> "NetworkConfig":
    """Return the file's network sizes, for a plain checkpoint MiniLM's."""
    from pipeline.backends.compact.reader.network import NetworkConfig

    with _opened(path) as file:
        about = file.metadata() or {}
    try:
        return NetworkConfig(**json.loads(about.get("shape", "{}")))
    except (ValueError, TypeError):
        raise BadConfig(f"The header of {path} does not say what network it is for.") from None


def fits(state: "Mapping[str, Tensor]", shape: "NetworkConfig", path: Path) -> None:
    """Raise `BadConfig` if the weights do not fit the network."""
    wanted = {name: tuple(w.shape) for name, w in uninitialized_network(shape).state_dict().items()}
    shapes = {name: tuple(weight.shape) for name, weight in state.items()}
    for name, _ in sorted(wanted.items() ^ shapes.items()):
        raise BadConfig(
            f"{path} does not fit the reader's network: {name} is "
            f"{_format_shape(shapes.get(name))} in the file and "
            f"{_format_shape(wanted.get(name))} in the network. "
            "Export it again from a checkpoint of this version."
        )


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


def _format_shape(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else " by ".join(map(str, shape))


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
