"""What processes hold in memory, as Linux tells it."""

import contextlib
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path


def resident() -> int:
    """Bytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def forget_peak() -> None:
    """Let `most_resident` begin anew."""
    Path("/proc/self/clear_refs").write_text("5")


def most_resident() -> int:
    """The most that it ever held. `ru_maxrss` would begin with what its parent held."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def pss_of_all(root: int) -> dict[str, float]:
    """Megabytes of the process and of each below it, by their place in the tree: its own memory
    and its part of what it shares."""
    return {label: pss(pid) for pid, label in processes(root)}


def processes(root: int) -> Iterator[tuple[int, str]]:
    """The process and all below it, each with its number and its place among them."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            status = (folder / "stat").read_text()
            parents[int(folder.name)] = int(status.rpartition(")")[2].split()[1])
    yield from below(root, parents)


def below(pid: int, parents: Mapping[int, int], depth: int = 0) -> Iterator[tuple[int, str]]:
    yield pid, f"{'  ' * depth}process {pid}"
    for child in sorted(child for child, parent in parents.items() if parent == pid):
        yield from below(child, parents, depth + 1)


def pss(pid: int) -> float:
    """Megabytes (2^20 bytes)."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
