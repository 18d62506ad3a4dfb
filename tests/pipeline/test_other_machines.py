"""The same passage gets the same revision, verdicts and figures on another machine.

Another machine is this one with libraries set to older instructions, one thread and another seed
of Python's hashes. Each needs a separate process: libraries read these settings once.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from pipeline.demo_data import DOCUMENTS, PASSAGES

LESSER = {
    "OPENBLAS_CORETYPE": "Prescott",
    "ATEN_CPU_CAPABILITY": "default",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "2",
}
PASSAGES_READ = 3
FIGURES = """
import numpy as np
from pipeline.backends.compact.entailment.word_features import shares_of_windows
from pipeline.metrics.reliability import cohen_kappa_of_table, reliability_of_patterns

chance = np.random.default_rng(7)
patterns = {(n, tuple(map(int, chance.multinomial(1 + n % 4, [0.25] * 4)))): 1 for n in range(300)}
pairs = {(n, tuple(map(int, chance.integers(4, size=2)))): 1 for n in range(300)}
print(reliability_of_patterns(patterns, categories=4), cohen_kappa_of_table(pairs, categories=4))
words = [f"{'abcdefghij'[n % 10] * (3 + n % 7)}{'klmnopqrst'[n // 10] * 2}" for n in range(60)]
text = " ".join(words)
print(shares_of_windows(text, text + ".", [(0, 200), (200, 400), (100, 350)]))
"""


def run_here_and_there(*command: str, kernels: Sequence[str] = ("Prescott",)) -> Iterator[str]:
    """What `command` prints on this machine, and on others with these kernels of OpenBLAS."""
    here = {name: value for name, value in os.environ.items() if name not in LESSER}
    others = [{**LESSER, "OPENBLAS_CORETYPE": kernel} for kernel in kernels]
    for settings in ({"PYTHONHASHSEED": "1"}, *others):
        environment = {**here, **settings}
        ended = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
        yield ended.stdout


def test_figures_are_the_same_to_the_last_bit() -> None:
    here, *there = run_here_and_there("-c", FIGURES, kernels=("Prescott", "Haswell"))
    assert there == [here, here]


def test_demo_passages_get_the_same_revisions_verdicts_and_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_VAR", str(tmp_path / "var"))
    passages, revised = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    with PASSAGES.open(encoding="utf-8") as lines:
        passages.write_text("".join(islice(lines, PASSAGES_READ)), encoding="utf-8")
    command = ("manage.py", "revise", passages, "--corpus", DOCUMENTS, "--out", revised)
    here, there = (
        dict(leaves([json.loads(line) for line in revised.read_text("utf-8").splitlines()]))
        for _ in run_here_and_there(*map(str, command))
    )
    assert len(here) > 100
    assert here.keys() == there.keys()
    # A score next to where it is rounded may fall to either side: 1 in its last decimal.
    differing = {
        name: (one, there[name])
        for name, one in here.items()
        if one != (pytest.approx(there[name], abs=1e-4) if isinstance(one, float) else there[name])
    }
    assert not differing


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Each value of nested JSON with its path, without measured times."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "usage":
                yield from leaves(inner, f"{name}.{key}")
    elif isinstance(value, list):
        yield f"{name}#", len(value)
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{name}[{index}]")
    else:
        yield name, value
