"""Source files that tests read as text."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("rarrweb", "pipeline", "annotation")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PYTHON = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
