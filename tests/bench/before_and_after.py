"""Compare the outputs of two checkouts.

    python -m tests.bench.before_and_after --out FOLDER [--checkout PATH] [--only PART,…]
    python -m tests.bench.before_and_after --compare FOLDER_A FOLDER_B

`--out` measures a checkout (this one, or a git worktree of another commit) in a subprocess:
`exports` of one seeded installation in every format, `commands` (`revise`, `attribution` and
`citations` on the demo with the compact models), the `pages` that links lead each user to, and
`counts`. `missing.txt` names what the checkout lacks or refuses. `--compare` prints the differing
lines (scores in `commands` may differ by 0.01), those that many files share once, and both tables
of counts; its exit status is 1 if files differ.

Measure by hand on a quiet machine: minutes, with `time make test` and `time .ci/run`, and the
ratios to Label Studio, with one `python -m tests.load.label_studio`.
"""

import argparse
import difflib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = "counts,commands,exports,pages"
TOLERANCE = 0.01
COMMON = 10
"""A differing line that so many files share is printed once, with their number."""
MAX_LINES = 6
SCORE_LINE = re.compile(r"\s*(\"[^\"]*\": )?(-?\d+\.\d+(?:e[+-]?\d+)?),?")
KINDS = {
    r"docs/.*\.md": "words in docs/",
    r"tests/.*\.py": "lines of tests",
    r"research/.*\.py": "lines of research/",
    r".*/migrations/.*\.py": "lines of migrations",
    r".*\.py": "lines of product Python",
    r"static/.*\.(js|css)": "lines of JavaScript and CSS",
    r"templates/.*": "lines of templates",
}
"""What a file counts as: the first pattern that its path matches."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, help="a new folder")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="default: this one")
    parser.add_argument("--only", default=PARTS, metavar="PART,…", help="default: %(default)s")
    parser.add_argument("--compare", type=Path, nargs=2, metavar="FOLDER")
    options = parser.parse_args()
    if options.compare:
        return compare(*options.compare)
    if options.out is None or options.out.exists():
        parser.error("name a new folder with --out, or two written ones with --compare")
    options.out.mkdir(parents=True)
    parts = options.only.split(",")
    if "counts" in parts:
        table = json.dumps(counts(options.checkout), indent=1)
        (options.out / "counts.json").write_text(table, encoding="utf-8")
    measure_in(options.checkout.resolve(), options.out.resolve(), parts)
    return 0


def measure_in(tree: Path, out: Path, parts: list[str]) -> None:
    program = Path(__file__).with_name("frozen_outputs.py")
    script = f"import runpy, sys; sys.path.insert(0, {str(tree)!r}); "
    script += f"runpy.run_path({str(program)!r})['measure']({str(out)!r}, {parts!r})"
    values = {k: v for k, v in os.environ.items() if not re.match("RARR_|DJANGO_|DATABASE_", k)}
    values |= {"DJANGO_SETTINGS_MODULE": "rarrweb.settings", "CELERY_BROKER_URL": "filesystem://"}
    values |= {"RARR_SECRET_KEY": "one key for all checkouts, so that they draw the same"}
    values |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory(prefix="rarrweb-before-") as values["RARR_VAR"]:
        subprocess.run([sys.executable, "-c", script], cwd=tree, env=values, check=True)


def counts(tree: Path) -> dict[str, float]:
    """Count lines and words in git, and installed megabytes."""
    listed = subprocess.run(["git", "ls-files"], cwd=tree, capture_output=True, check=True)
    table = Counter(dict.fromkeys(KINDS.values(), 0))
    for name in listed.stdout.decode().splitlines():
        kind = next((kind for each, kind in KINDS.items() if re.fullmatch(each, name)), "")
        if kind and (tree / name).is_file():
            text = (tree / name).read_text(encoding="utf-8")
            table[kind] += len(text.split() if kind.startswith("words") else text.splitlines())
    sizes = {}
    requirements = (tree / "requirements.txt").read_text(encoding="utf-8")
    for name in re.findall(r"(?m)^[A-Za-z0-9][\w.-]*", requirements):
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            files = []  # 0 MB in the table
        paths = [path for each in files if (path := Path(str(each.locate()))).is_file()]
        sizes[f"  {name}, MB"] = round(sum(path.stat().st_size for path in paths) / 1e6, 1)
    total = {"dependencies": len(sizes), "dependencies, MB": round(sum(sizes.values()), 1)}
    return {**table, **total, **sizes}


def compare(*folders: Path) -> int:
    names = {p.relative_to(each) for each in folders for p in each.rglob("*") if p.is_file()}
    names.discard(Path("counts.json"))
    changed = {name: differences(*(folder / name for folder in folders)) for name in sorted(names)}
    changed = {name: lines for name, lines in changed.items() if lines}
    shared = Counter(line for lines in changed.values() for line in set(lines))
    shared = Counter({line: n for line, n in shared.items() if n >= COMMON})
    for line, number in shared.most_common():
        print(f"in {number:4} files: {line[:200]}")
    for name, lines in changed.items():
        if single := [line for line in lines if line not in shared]:
            print(f"\n{name}: {len(single)} lines")
            print("\n".join(f"  {line[:200]}" for line in single[:MAX_LINES]))
    print(f"\n{len(names):,} files, {len(changed):,} differ.\n")
    tables = [json.loads(f.read_text()) for each in folders if (f := each / "counts.json").exists()]
    for row in dict.fromkeys(row for table in tables for row in table):
        print(f"{row:36}" + "".join(f"{table.get(row, 0):>14,}" for table in tables))
    return int(bool(changed))


def differences(a: Path, b: Path) -> list[str]:
    """Return the differing lines, with - for `a` and + for `b`."""
    if not (a.exists() and b.exists()):
        return [f"only {'-' if a.exists() else '+'}"]
    old, new = (path.read_text(encoding="utf-8").split("\n") for path in (a, b))
    if a.parent.name == "commands" and len(old) == len(new):
        for number, pair in enumerate(zip(old, new, strict=True)):
            x, y = map(SCORE_LINE.fullmatch, pair)
            if x and y and x[1] == y[1] and round(abs(float(x[2]) - float(y[2])), 6) <= TOLERANCE:
                new[number] = old[number]
    lines = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    return [line for line in lines if not line.startswith("@@")]


if __name__ == "__main__":
    sys.exit(main())
