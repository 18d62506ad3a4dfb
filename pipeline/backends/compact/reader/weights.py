"""The reader's weights in a file: int8 with one scale a row, in safetensors.

A weight of two dimensions w is kept as q and s, w = q * s, where s (one a row) is the smallest
power of two that keeps every q, rounded to the nearest, within -127 … 127: no weight is off by
more than s / 2. Biases are rounded to bfloat16. The header says which format, which network and
which checkpoint it was made of.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.rarr.errors import BadConfig

if TYPE_CHECKING:
    from torch import Tensor

    from pipeline.backends.compact.reader.network import ReaderNetwork, Shape

FORMAT = "rarrweb-reader-1"
SCALE = ".scale"
LARGEST = 127
HERE = Path(__file__).parent / "weights"
WEIGHTS = HERE / "reader.safetensors"
TOKENIZER = HERE / "tokenizer.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a weights file was made of."""

    source: str = ""
    """SHA-256 of the checkpoint."""
    commit: str = ""
    """The code that trained it."""


def save(
    state: "Mapping[str, Tensor]", path: Path, *, shape: "Shape", origin: Origin | None = None
) -> None:
    """Write a network's float weights to `path`, in int8."""
    import torch
    from safetensors.torch import save as packed

    kept: dict[str, Tensor] = {}
    for name, weight in state.items():
        weight = weight.detach().float()
        if weight.dim() == 2:
            # A row of zeros has no greatest weight: any scale will do.
            scale = (weight.abs().amax(1) / LARGEST).clamp_min(torch.finfo(torch.float32).tiny)
            scale = scale.log2().ceil().exp2()
            kept[name] = (weight / scale[:, None]).round().to(torch.int8).contiguous()
            kept[name + SCALE] = scale
        else:
            kept[name] = weight.to(torch.bfloat16).float().contiguous()
    made_of = origin or Origin()
    about = {"format": FORMAT, "shape": shape_text(shape), **asdict(made_of)}
    path.write_bytes(packed(kept, metadata=about))


def load(path: Path) -> "dict[str, Tensor]":
    """The weights of a file of `save`, or of a plain checkpoint, as float32.

    Raises `BadConfig` for a file that is not there, is neither, or does not fit the network.
    """
    state, about = _read(path)
    fits(state, _shape(about, path), path)
    return state


def shape_of(path: Path) -> "Shape":
    """The sizes of the network that the file is for; those of MiniLM for a plain checkpoint."""
    return _shape(_header(path), path)


def shape_text(shape: "Shape") -> str:
    """How a header writes the sizes down."""
    return json.dumps(asdict(shape))


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fits(state: "Mapping[str, Tensor]", shape: "Shape", path: Path) -> None:
    """Raise `BadConfig` where the weights are not those of a network of that shape."""
    wanted = {name: tuple(w.shape) for name, w in unfilled(shape).state_dict().items()}
    found = {name: tuple(weight.shape) for name, weight in state.items()}
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise BadConfig(
                f"{path} does not fit the reader's network: {name} is "
                f"{_told(found.get(name))} in the file and {_told(wanted.get(name))} in the "
                "network. Export it again from a checkpoint of this version."
            )


def unfilled(shape: "Shape") -> "ReaderNetwork":
    """A network whose weights are still to come: none is drawn, so it takes no memory yet.

    torch's own way, the device "meta", imports sympy: 70 MB and a second.
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


def _told(shape: tuple[int, ...] | None) -> str:
    return "absent" if shape is None else " by ".join(map(str, shape))


def _header(path: Path) -> dict[str, str]:
    with _opened(path) as file:
        return dict(file.metadata() or {})


def _read(path: Path) -> "tuple[dict[str, Tensor], dict[str, str]]":
    with _opened(path) as file:
        about = dict(file.metadata() or {})
        made_by = about.get("format", "")
        if made_by.startswith("rarrweb-reader") and made_by != FORMAT:
            raise BadConfig(
                f"{path} has the format {made_by}, and this version reads {FORMAT}: export the "
                "weights again."
            )
        names = set(file.keys())
        state = {}
        for name in sorted(names):
            if name.removesuffix(SCALE) in names and name.endswith(SCALE):
                continue
            weight = file.get_tensor(name).float()
            if name + SCALE in names:
                weight *= file.get_tensor(name + SCALE)[:, None]
            state[name] = weight
    return state, about


def _opened(path: Path):  # type: ignore[no-untyped-def]  # safetensors names no type for it
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


def _shape(about: Mapping[str, str], path: Path) -> "Shape":
    from pipeline.backends.compact.reader.network import Shape

    if "shape" not in about:
        return Shape()
    try:
        return Shape(**json.loads(about["shape"]))
    except (ValueError, TypeError):
        raise BadConfig(f"The header of {path} does not say what network it is for.") from None
