"""Memory of processes, from Linux's /proc."""

import contextlib
import resource
from collections.abc import Iterator, Mapping
from pathlib import Path


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def most_resident() -> int:
    """Peak bytes; `ru_maxrss` would begin with the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def pss_of_all(root: int) -> dict[str, float]:
    """Megabytes of a process and its children, with their share of shared memory."""
    return {label: pss(pid) for pid, label in processes(root)}


def processes(root: int) -> Iterator[tuple[int, str]]:
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
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
