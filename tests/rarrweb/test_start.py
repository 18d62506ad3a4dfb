"""Starting loads no library that only some work needs."""

import subprocess
import sys

import pytest

from pipeline.metrics.inference import LEVEL, Z
from tests.support.installation import ROOT

FIGURES = {"matplotlib", "numpy", "pandas", "pyarrow", "scipy", "sklearn"}
MODELS = {"datasets", "nltk", "openai", "spacy", "thinc", "tokenizers", "torch", "transformers"}
LATER = {*FIGURES, *MODELS, "trafilatura"}
PAGES = "import rarrweb.wsgi; from django.urls import get_resolver; get_resolver().url_patterns"
CHECKS = "from django.core.management import execute_from_command_line as run; run(['', 'check'])"
WORKER = "from rarrweb.celery import app; app.loader.import_default_modules()"


@pytest.mark.parametrize("start", [PAGES, CHECKS, WORKER], ids=["pages", "checks", "worker"])
def test_what_starts_loads_no_library_that_only_some_work_needs(start: str) -> None:
    code = f"{start}\nimport sys\nprint(*sorted({LATER!r} & set(sys.modules)))"
    started = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert started.returncode == 0, started.stderr
    assert started.stdout.splitlines()[-1:] == [""]


def test_the_normal_quantile_is_scipys() -> None:
    from scipy.special import ndtri

    assert float(ndtri((1 + LEVEL) / 2)) == Z
