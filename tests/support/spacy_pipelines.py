"""spaCy pipelines: copies and packages of the installed one, and small ones."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline.backends.compact.text import parsing
from pipeline.backends.sentences import installed


@contextmanager
def parsing_with(model: str) -> Iterator[None]:
    before = parsing._process.model
    parsing.configure(model)
    try:
        yield
    finally:
        parsing.configure(before)


def copied(folder: Path, *, package: str = parsing.PACKAGED) -> Path:
    return Path(shutil.copytree(installed(package).folder, folder))


def as_package(site: Path, name: str, patch: pytest.MonkeyPatch, *, version: str) -> Path:
    root = site / name
    root.mkdir(parents=True)
    lang, _, rest = name.partition("_")
    meta = f'{{"lang": "{lang}", "name": "{rest}", "version": "{version}"}}'
    (root / "meta.json").write_text(meta)
    (root / "__init__.py").write_text(
        "from pathlib import Path\n"
        "from spacy.util import load_model_from_init_py\n"
        "def load(**options):\n"
        "    return load_model_from_init_py(__file__, **options)\n"
    )
    about = site / f"{name}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    patch.syspath_prepend(str(site))
    # Forget the module now, and once more when the test is over.
    patch.setitem(sys.modules, name, sys)
    del sys.modules[name]
    return copied(root / f"{name}-{version}")
