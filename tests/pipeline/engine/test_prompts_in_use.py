"""Which prompts a configuration freezes, and who lets sentences stand alone."""

from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.compact.coreference.references import CompactDecontextualizer
from pipeline.backends.prompted.decontextualization import PromptedDecontextualizer
from pipeline.backends.transformers_decontextualizer import TransformersDecontextualizer
from pipeline.engine.configuration import RunConfig
from pipeline.engine.language_models import current_prompts
from pipeline.engine.loading import load_decontextualizer, load_engine
from pipeline.generation.prompts import load_prompts
from pipeline.rarr.errors import BadConfig


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.RARR_LLM = "openai:stub"
    settings.RARR_PROMPTS = str(tmp_path)
    return tmp_path


def test_a_run_with_a_language_model_freezes_the_version_of_its_prompts(folder: Path) -> None:
    assert RunConfig.from_settings().prompts == load_prompts().version
    (folder / "edit.txt").write_text("{passage} {query} {evidence}")
    changed = RunConfig.from_settings().prompts
    assert changed == load_prompts(folder).version != load_prompts().version
    assert RunConfig.from_plain(RunConfig.from_settings().to_plain()).prompts == changed
    with pytest.raises(BadConfig, match="'prompts' is no setting"):
        RunConfig.from_settings(overrides={"prompts": "abc"})


def test_a_run_does_not_go_on_with_other_prompts(folder: Path, tmp_path: Path) -> None:
    config = RunConfig.from_settings(overrides={"search": "searxng:https://search.example.org/"})
    before, after = config.prompts, "{passage} {query} {evidence}"
    (folder / "edit.txt").write_text(after)
    with pytest.raises(BadConfig, match=rf"the prompts {before}, and here are the prompts"):
        load_engine(config, index=None)
    (folder / "edit.txt").unlink()
    assert load_engine(config, index=None).config == config


def test_prompts_are_read_once_and_again_after_a_change(folder: Path) -> None:
    first = current_prompts()
    assert current_prompts() is first
    (folder / "agreement.txt").write_text("{claim} {query} {evidence}")
    assert current_prompts()["agreement"].content == "{claim} {query} {evidence}"


@pytest.mark.parametrize(
    ("llm", "name", "kind"),
    [
        ("compact", "llm", CompactDecontextualizer),
        ("openai:stub", "llm", PromptedDecontextualizer),
        ("openai:stub", "compact", CompactDecontextualizer),
        ("compact", "hf:folder#sep", TransformersDecontextualizer),
    ],
)
def test_the_setting_reports_the_decontextualizer(llm: str, name: str, kind: type) -> None:
    assert isinstance(load_decontextualizer(llm, name), kind)
    for other in ("openai:stub", "spacy", "hf", ""):
        with pytest.raises(BadConfig, match=r"='.*(compact, hf, llm|hf:NAME_OR_PATH)\."):
            RunConfig(decontextualizer=other)
