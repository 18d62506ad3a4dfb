"""The revision of a loaded model."""

import hashlib
from pathlib import Path

import pytest
from huggingface_hub import constants
from transformers import AutoConfig

from pipeline.backends.model_revisions import revision_of, revisions_of
from tests.support.tiny_models import bert_config, make_classifier

COMMIT, OTHER = "a1" * 20, "b2" * 20
FIRST_LABEL = {COMMIT: "entailment", OTHER: "contradiction"}


def test_a_folder_is_known_by_its_configuration(tmp_path: Path) -> None:
    name = make_classifier(tmp_path / "nli", ["entailment", "other"])
    digest = hashlib.sha256((tmp_path / "nli" / "config.json").read_bytes()).hexdigest()
    assert revision_of(name) == f"config sha256 {digest}"
    # Names given to its labels change how it is read, and not which files it is.
    assert revision_of(f"{name}#other,entailment") == revision_of(name)
    bert_config(["entailment", "neutral"]).save_pretrained(name)
    assert revision_of(name) not in ("", f"config sha256 {digest}")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A download cache as the library lays it out, with one model at two commits."""
    folder = tmp_path / "models--lab--nli"
    for commit, label in FIRST_LABEL.items():
        bert_config([label, "other"]).save_pretrained(folder / "snapshots" / commit)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    return folder


def test_a_download_is_known_by_the_commit_that_transformers_loads(cache: Path) -> None:
    for commit, label in FIRST_LABEL.items():
        (cache / "refs" / "main").write_text(commit)
        given = {"cache_dir": cache.parent, "local_files_only": True}
        assert AutoConfig.from_pretrained("lab/nli", **given).id2label[0] == label
        assert revision_of("lab/nli") == f"commit {commit}"
    assert revision_of("lab/nli#entailment,other") == f"commit {OTHER}"


def test_each_model_present_is_reported_once(cache: Path, tmp_path: Path) -> None:
    name = make_classifier(tmp_path / "nli", ["entailment", "other"])
    others = ["rarr", {"samples": 3}, None, "compact", "openai:gpt", "hf:lab/never-loaded"]
    models = [f"hf:{name}", "hf:lab/nli", "hf:lab/nli#entailment,other", "minicheck:lab/nli"]
    assert revisions_of([*others, *models]) == {
        f"hf:{name}": revision_of(name),
        "hf:lab/nli": f"commit {COMMIT}",
        "minicheck:lab/nli": f"commit {COMMIT}",
    }


def test_what_is_not_there_is_unknown(cache: Path) -> None:
    for name in ("lab/never-loaded", "no/such/folder", "", "..", "a b", "tests"):
        assert revision_of(name) == ""
