"""Configurations, and the engine that works by one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.backends.compact.entailment_scorer import CompactEntailment
from pipeline.backends.tantivy_corpus import write_index
from pipeline.engine.configuration import RunConfig
from pipeline.engine.engine import WARM_UP_PAIR
from pipeline.engine.loading import load_engine, versions
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig, RarrError
from pipeline.rarr.loop import revise
from pipeline.rarr.ports import Components
from pipeline.rarr.types import Document, Passage, Revision
from tests.support.rarr_fakes import Nli

TEXT = "Marlow Hall is a concert hall in Denby. It opened in 1904. It has 812 seats."
HALL = Document(id="hall", title="Marlow Hall", url="https://example.org/hall", text=TEXT)
PASSAGE = Passage(id="p", text="Marlow Hall opened in 1902.")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    write_index(tmp_path / "index", [HALL])
    return tmp_path / "index"


def test_the_defaults_are_the_settings_and_the_papers_values(settings: Any) -> None:
    settings.RARR_ENTAILMENT = "hf:some/model"
    config = RunConfig.from_settings()
    assert (config.system, config.llm, config.entailment) == ("rarr", "compact", "hf:some/model")
    assert config.rarr == RarrConfig()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"report_sise": "3"}, "'report_sise' is no setting: choose one of .*report_size"),
        ({"report_size": "three"}, "report_size is three: write a whole number"),
        ({"report_size": "0"}, "report_size is 0: write 1 or more"),
        ({"llm": "oracle"}, "llm='oracle': .*choose one of compact"),
        ({"entailment": "nli"}, "entailment='nli': .*compact, hf"),
        ({"entailment": "hf:"}, "entailment='hf:': hf needs a model: write hf:NAME_OR_PATH"),
        ({"efec_model": "hf:"}, "hf needs a model: write hf:NAME_OR_PATH"),
        ({"llm_edit": "t5"}, "llm_edit='t5': choose one of compact, hf, llm, openai."),
        ({"efec_model": "t5"}, "efec_model='t5': choose one of compact, hf, llm."),
        ({"llm": "compact:2"}, "llm='compact:2': compact takes no argument"),
        ({"spacy_model": "xx_no_such"}, "spacy_model='xx_no_such': no such spaCy pipeline"),
        ({"spacy_model": "."}, "no such spaCy pipeline is installed"),
        ({"spacy_model": "../blank"}, "no such spaCy pipeline is installed"),
        ({"search": "web"}, "search='web': .*corpus"),
        ({"system": "rarr"}, "'system' is no setting"),
    ],
)
def test_nonsense_is_refused_with_the_choices(settings: dict[str, str], expected: str) -> None:
    with pytest.raises(BadConfig, match=expected):
        RunConfig.from_settings(overrides=settings)


def test_a_system_that_is_unknown_or_lacks_its_model_is_refused() -> None:
    with pytest.raises(BadConfig, match="'rar' is no system: choose one of efec, lamda-research"):
        RunConfig.from_settings(system="rar")
    with pytest.raises(BadConfig, match=r"^lamda-research needs .* llm is 'compact': set llm to"):
        RunConfig.from_settings(system="lamda-research")
    llm = {"llm": "openai:some-model"}
    assert RunConfig.from_settings(system="lamda-research", overrides=llm).llm == llm["llm"]


def test_efecs_editor_is_the_language_models_or_one_of_its_own(index: Path) -> None:
    def corrector(**settings: str) -> object:
        config = RunConfig.from_settings(system="efec", overrides=settings)
        return type(load_engine(config, index=index).components.corrector).__name__

    assert corrector() == "CompactRewriter"
    assert corrector(efec_model="hf:some/model") == "TransformersRewriter"
    assert corrector(llm="openai:some-model") == "PromptedCorrector"
    assert corrector(llm="openai:m", efec_model="hf:some/model") == "TransformersRewriter"


def test_a_language_model_of_one_step_counts_as_one() -> None:
    config = RunConfig.from_settings(overrides={"llm_edit": "openai:m"})
    assert config.language_models == ["openai:m"]
    assert config.asks_language_model
    assert config.waits_for_server
    assert config.prompts


@pytest.mark.parametrize(("entailment", "times"), [("compact", 1), ("openai:judge", 0)])
def test_only_a_local_scorer_is_loaded_ahead(entailment: str, times: int, index: Path) -> None:
    scorer = Nli()
    engine = load_engine(RunConfig(entailment=entailment), index=index)
    replace(engine, entailment=scorer).load_scorer()
    assert scorer.received == [[WARM_UP_PAIR]] * times


def test_the_compact_scorer_reads_what_loads_it() -> None:
    class ReaderLoaded(Exception):
        pass

    class NoReader:
        def __getattr__(self, name: str) -> None:
            raise ReaderLoaded

    with pytest.raises(ReaderLoaded):
        CompactEntailment(NoReader()).score([WARM_UP_PAIR])  # type: ignore[arg-type]


def test_a_stored_configuration_that_names_an_unknown_setting_is_refused() -> None:
    with pytest.raises(BadConfig, match=r"rarr\.samples: Unexpected keyword"):
        RunConfig.from_plain({**RunConfig().to_plain(), "rarr": {"samples": 3}})


def test_an_engine_revises_and_scores(index: Path) -> None:
    engine = load_engine(RunConfig(), index=index)
    outcome = engine.revise(PASSAGE)
    assert outcome.revision.text == "Marlow Hall opened in 1904."
    assert [snippet.url for snippet in outcome.revision.report.evidence] == [HALL.url]
    scores = outcome.scores
    assert (scores.attribution_after or 0) > (scores.attribution_before or 1)
    assert outcome.usage.seconds > 0
    assert outcome.usage.queries == outcome.usage.searches == len(outcome.revision.queries)
    assert outcome.usage.model_calls == 1 + len(outcome.revision.queries) + 1
    # Engines are created once a process.
    assert load_engine(RunConfig(), index=index) is engine
    other = load_engine(RunConfig(rarr=RarrConfig(report_size=1)), index=index)
    assert other is not engine
    assert other.entailment is engine.entailment
    assert other.components.splitter is engine.components.splitter


@pytest.mark.parametrize("whole", ["Opened in 1902.", "Marlow Hall opened in 1902. It is old."])
def test_a_foreign_revision_fails(index: Path, monkeypatch: pytest.MonkeyPatch, whole: str) -> None:
    def revises_another(
        passage: Passage, *, components: Components, config: RarrConfig
    ) -> Revision:
        inner = revise(replace(passage, text=PASSAGE.text), components=components, config=config)
        return replace(inner, passage=passage)

    monkeypatch.setattr("pipeline.rarr.loop.revise", revises_another)
    engine = load_engine(RunConfig(), index=index)
    assert engine.revise(PASSAGE).revision.is_changed
    with pytest.raises(ValueError, match="by rarr does not lead from its passage to its text"):
        engine.revise(replace(PASSAGE, text=whole))


def test_any_text_ends_in_a_revision(index: Path) -> None:
    for text in ("", "  \n", "？", "大桥于1957年通车，全长1670米。"):
        outcome = load_engine(RunConfig(), index=index).revise(Passage(id="p", text=text))
        assert outcome.revision.text == text
        assert outcome.revision.errors == ()
    # Also one of more than ten thousand words.
    sentence = "In {} the hall in Denby had a fine roof and a wide stage, and many came to it. "
    text = "".join(sentence.format(1700 + number % 90) for number in range(560))
    text += "Marlow Hall opened in 1902."
    outcome = load_engine(RunConfig(), index=index).revise(Passage(id="p", text=text))
    assert len(text.split()) > 10_000
    assert outcome.revision.errors == ()
    assert len(outcome.scores.after) == 561
    assert outcome.revision.text.endswith("Marlow Hall opened in 1904.")


def test_an_engine_sees_additions_to_its_corpus_and_needs_an_index(index: Path) -> None:
    engine = load_engine(RunConfig(), index=index)
    passage = Passage(id="p", text="Denby Bridge was built in 1850.")
    assert not engine.revise(passage).revision.is_changed
    write_index(index, [Document(id="b", title="", url="", text="Denby Bridge was built in 1855.")])
    assert engine.revise(passage).revision.text == "Denby Bridge was built in 1855."
    with pytest.raises(RarrError, match="No search index"):
        load_engine(RunConfig(), index=index.parent / "none")


def test_versions_name_what_can_change_a_result() -> None:
    assert {"rarrweb", "python", "parser", "spacy", "tantivy", "numpy"} <= set(versions())
