"""`manage.py citations`: ALCE's figures of a run's output."""

import json
import re
import sys
import types
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from pipeline.backends.sentences import nltk
from pipeline.engine.answer_readings import FIGURES
from pipeline.engine.loading import versions
from pipeline.files.citation_scores import mauve_texts
from pipeline.importing.alce import AlceAnswer
from pipeline.management.commands import citations
from pipeline.metrics.alce_reference import remove_citations
from pipeline.rarr.errors import RefusedPrompt
from pipeline.rarr.types import EntailmentScore
from tests.support.commands import run_command
from tests.support.rarr_fakes import Nli
from tests.support.tiny_models import WORDS, make_tokenizer

DOCS = [
    {"title": "Marlow Hall", "text": "Marlow Hall opened in 1904."},
    {"title": "Marlow Hall", "text": "Marlow Hall was built by Ann Rudd."},
    {"title": "Moon", "text": "The moon is far."},
]
BOTH = "Marlow Hall was built by Ann Rudd and opened in 1904"
PAIRS = {"Who?": "Ann Rudd", "When?": "1903"}
HALL = {
    "question": "Who built Marlow Hall?",
    "answer": "Ann Rudd.",
    "docs": DOCS,
    "qa_pairs": [{"question": name, "short_answers": [short]} for name, short in PAIRS.items()],
    "annotations": [{"long_answer": "Ann Rudd built it."}, {"long_answer": "Rudd did."}],
}


@pytest.fixture(autouse=True)
def nli(monkeypatch: pytest.MonkeyPatch) -> Nli:
    """Entails what has all its words in the premise, but for "and"."""

    def of(premise: str, hypothesis: str) -> EntailmentScore:
        words = {each.strip(".,").lower() for each in hypothesis.split()} - {"and"}
        return EntailmentScore(entailed=float(all(each in premise.lower() for each in words)))

    nli = Nli(of)
    monkeypatch.setattr(citations, "load_entailment", lambda name: nli)
    monkeypatch.setattr(citations, "nltk", lambda: None)
    return nli


def run(tmp_path: Path, data: Any, *options: str) -> tuple[int, str, str, Any]:
    """The exit status, standard output, standard error and the written figures."""
    source, out = tmp_path / "run.json", tmp_path / "metrics.json"
    source.write_text(data if isinstance(data, str) else json.dumps({"args": {}, "data": data}))
    ran = run_command("citations", source, "--out", out, *options)
    return *ran, json.loads(out.read_text()) if out.exists() else None


def test_an_asqa_run_is_scored_in_both_ways(tmp_path: Path) -> None:
    outputs = (f"{BOTH}. [1, 2] The moon is far [3].\nQuestion: none", "Nobody knows.")
    items = [{**HALL, "output": output} for output in outputs]
    status, printed, message, result = run(tmp_path, items, "--model", "compact")
    assert status == 0, message
    assert (result["n"], result["model"], result["dataset"]) == (2, "compact", "asqa")
    strict, corrected = result["strict"], result["corrected"]
    assert list(strict) == list(corrected) == list(FIGURES)
    # For the reference the second sentence is "[1, 2] The moon is far [3].", which cites 1 and 3
    # and reads ", 2 The moon is far." An answer without citations has a precision of 0.
    assert (strict["citation_rec"], strict["citation_prec"]) == (0.0, 0.0)
    assert (corrected["citation_rec"], corrected["citation_prec"]) == (50.0, 100.0)
    assert (strict["str_em"], strict["str_hit"]) == (25.0, 0.0)
    assert (strict["length"], corrected["length"]) == (9.0, 8.5)
    assert strict["rougeLsum"] > 0
    assert strict["mauve"] is strict["QA-EM"] is strict["claims_nli"] is strict["num_preds"] is None
    assert result["strict_intervals"]["citation_rec"]["n"] == 2
    assert result["corrected_intervals"]["citation_prec"] == {"n": 1, "low": None, "high": None}
    assert result["strict_intervals"]["mauve"] is None
    [line] = [each for each in printed.splitlines() if each.startswith("citation_rec ")]
    assert line.split()[1:] == ["0.0", "n=2", "50.0", "n=2"]
    assert printed.splitlines()[-1] == "No intervals: fewer than 5 answers."
    assert "mauve" not in printed
    assert message.startswith("Scored: 2. Failed: 0.\nBy compact, ")


def test_a_qampari_list_makes_its_statements_of_the_question(tmp_path: Path) -> None:
    docs = [{"title": "Hall of Nim", "text": "and Go"}]
    item = {"question": "Hall of", "docs": docs, "answers": [["Nim", "Nimm"], ["Hex"]]}
    _, _, _, result = run(tmp_path, [{**item, "output": "Nim [1], Go [1], Chess [7]."}])
    strict = result["strict"]
    assert (result["dataset"], strict["num_preds"], strict["rougeLsum"]) == ("qampari", 3, None)
    assert (strict["citation_prec"], strict["qampari_rec"]) == (100, 50)
    assert strict["citation_rec"] == pytest.approx(200 / 3)
    assert result["corrected"]["citation_prec"] == pytest.approx(200 / 3)
    assert strict["qampari_prec"] == pytest.approx(100 / 3)


def test_a_qampari_list_follows_its_reasoning_with_cot(tmp_path: Path) -> None:
    item = {"question": "Hall of", "docs": [], "answers": [["Nim"], ["Hex"]]}
    items = [{**item, "output": each} for each in ("Two, say: Nim, Hex.", "Nim, Hex.")]
    for options, precision, parts in (((), 200 / 3, 2.5), (("--cot",), 50, 1)):
        _, _, _, result = run(tmp_path, items, *options)
        for way in ("strict", "corrected"):
            assert result[way]["num_preds"] == parts
        assert result["strict"]["qampari_prec"] == pytest.approx(precision)


def test_eli5_claims_ignore_citations(tmp_path: Path, nli: Nli) -> None:
    item = {"question": "Why?", "docs": DOCS, "answer": "It is far.", "claims": ["moon", "sun"]}
    _, _, _, result = run(tmp_path, [{**item, "output": "The moon is far [3]."}])
    assert (result["dataset"], result["strict"]["claims_nli"]) == ("eli5", 50.0)
    assert ("The moon is far.", "moon") in nli.received[0]
    requests = [pair for batch in nli.received for pair in batch]
    assert len(requests) == len(set(requests))


def test_strict_claims_are_read_without_citations_twice(tmp_path: Path, nli: Nli) -> None:
    run(tmp_path, [{"question": "Why?", "docs": DOCS, "claims": ["x"], "output": "So  || x [1]."}])
    premises = {premise for premise, claim in nli.received[0] if claim == "x"}
    assert premises == {"So x.", "So  || x."}


def test_at_most_so_many_citations_are_scored(tmp_path: Path, nli: Nli) -> None:
    run(tmp_path, [{**HALL, "output": f"{BOTH} [1][2][3]."}], "--at-most-citations", "1")
    assert [len(batch) for batch in nli.received] == [1]


def test_qa_figures_need_a_model_that_reads_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.RARR_DEVICE = "cpu"
    requests: list[tuple[str, str]] = []

    class Reader:
        def __init__(self, name: str, *, device: str) -> None:
            assert (name, device) == ("some/model", "cpu")

        def answer(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
            requests.extend(pairs)
            return ["ann rudd" if question == "Who?" else "" for question, _ in pairs]

    monkeypatch.setattr(citations, "TransformersReader", Reader)
    item = {**HALL, "output": "Ann Rudd [1]."}
    _, _, _, result = run(tmp_path, [item], "--qa-model", "hf:some/model")
    assert requests[:2] == [("Who?", "Ann Rudd."), ("When?", "Ann Rudd.")]
    assert [result["strict"][f"QA-{each}"] for each in ("EM", "F1", "Hit")] == [50.0, 50.0, 0.0]
    assert result["qa_model"] == "hf:some/model"


@pytest.fixture
def fake_nltk(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """Split before capitals and stem nothing; return `nltk.tokenize`."""

    class PorterStemmer:
        stem = staticmethod(str)

    package, tokenize, porter = (types.ModuleType(name) for name in ("nltk", "tokenize", "porter"))
    package.__spec__ = types.SimpleNamespace()  # type: ignore[assignment]
    package.__version__ = "3.9"  # type: ignore[attr-defined]
    tokenize.sent_tokenize = partial(re.split, r" (?=[A-Z])")  # type: ignore[attr-defined]
    porter.PorterStemmer = PorterStemmer  # type: ignore[attr-defined]
    modules = {"nltk": package, "nltk.tokenize": tokenize, "nltk.stem.porter": porter}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(citations, "nltk", nltk)
    return tokenize


@pytest.mark.usefixtures("fake_nltk")
def test_strict_figures_use_nltk_where_it_is_installed(tmp_path: Path, nli: Nli) -> None:
    long = [{"long_answer": "Far away moons. Moon runs."}]
    item = {**HALL, "annotations": long, "output": "Moon runs [3]. Far away moons."}
    _, printed, message, result = run(tmp_path, [item])
    assert result["strict_sentences"] == "punkt"
    assert printed.split()[:2] == ["strict", "corrected"]
    assert "nltk" not in message
    assert ("Title: Moon\nThe moon is far.", "Moon runs.") in nli.received[0]
    # In lower case, both texts are one sentence: they share "far away moons".
    assert result["strict"]["rougeLsum"] == pytest.approx(100 * 2 * 3 / 10)
    assert result["corrected"]["rougeLsum"] == 100
    assert versions.__wrapped__()["nltk"] == "3.9"


def test_without_nltks_data_the_strict_figures_have_another_name(
    tmp_path: Path, fake_nltk: types.ModuleType
) -> None:
    fake_nltk.sent_tokenize = Mock(side_effect=LookupError)  # type: ignore[attr-defined]
    _, printed, message, result = run(tmp_path, [{**HALL, "output": "The moon is far [3]."}])
    assert result["strict_sentences"] == "rarrweb"
    assert printed.startswith(f"{'':<20}strict (our sentences)      corrected")
    assert "pip install nltk" in message
    assert "nltk" not in versions.__wrapped__()


@pytest.mark.parametrize(
    ("item", "position", "expected"),
    [
        ({"question": "Q"}, "data[1].output", "there is no output"),
        ({"question": "Q", "output": ["a", "b"]}, "data[1].output", "output is a list"),
        ({"question": "Q", "output": "a", "docs": [{"title": "T"}]}, "data[1].docs[0]", "no text"),
        ({"question": "Q", "output": "a", "docs": [{"text": 7}]}, "data[1].docs[0].text", "text"),
        ({"question": "Q", "output": "a", "claims": "c"}, "data[1].claims", "claims is a text"),
        ("text", "data[1]", "not a JSON object"),
    ],
)
def test_a_wrong_item_is_named_and_the_others_are_scored(
    tmp_path: Path, item: Any, position: str, expected: str
) -> None:
    status, _, message, result = run(tmp_path, [{**HALL, "output": "It fell [1]."}, item])
    assert (status, result["n"]) == (1, 1)
    assert f"run.json, row 2, field {position}: " in message
    assert expected in message
    assert "Scored: 1. Failed: 1." in message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ('{"args": {}}', "run.json"),
        ("[", "run.json"),
        ("", "run.json"),
        ('{"data": []}', "run.json"),
        ('{"data": [{}]}', "run.json"),
        ('{"foo": 1}\n', "there is no question"),
    ],
)
def test_a_file_without_an_item_to_score_writes_nothing(
    tmp_path: Path, data: str, words: str
) -> None:
    status, printed, message, result = run(tmp_path, data)
    assert (status, printed, result) == (2, "", None)
    assert words in message
    assert "Traceback" not in message


@pytest.fixture
def writer(tmp_path: Path) -> str:
    """A GPT-2 of a few words; the name to load it by."""
    folder = tmp_path / "gpt2"
    torch.manual_seed(1)
    make_tokenizer(folder)
    sizes = {"n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 64, "initializer_range": 0.7}
    config = GPT2Config(vocab_size=len(WORDS), bos_token_id=2, eos_token_id=3, **sizes)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return f"hf:{folder}"


def test_mauve_is_optional_and_reports_how_unstable_it_is(tmp_path: Path, writer: str) -> None:
    texts = ["the river runs west", "the river runs north", "long river", "east river runs"]
    same = [
        {"question": "river ?", "answer": text, "output": f"{text} [1].", "docs": DOCS}
        for text in texts * 6
    ]
    status, printed, message, result = run(tmp_path, same, "--mauve", writer, "--dataset", "asqa")
    assert status == 0, message
    assert result["mauve_model"] == writer
    assert result["strict"]["mauve"] == result["corrected"]["mauve"] == pytest.approx(100)
    assert result["strict_intervals"]["mauve"] == {"n": 24, "low": None, "high": None}
    assert [len(each) for each in result["mauve_seeds"].values()] == [5, 5]
    assert "It is unstable" in result["mauve_says"]
    assert result["mauve_says"] in message
    assert "mauve" in printed
    other = [{**each, "output": "north long long"} for each in same]
    _, _, _, apart = run(tmp_path, other, "--mauve", writer, "--dataset", "asqa")
    assert apart["strict"]["mauve"] < 50


def test_lists_and_answers_without_a_persons_have_no_mauve(tmp_path: Path, writer: str) -> None:
    bare = {key: value for key, value in HALL.items() if key != "answer"}
    _, _, _, result = run(tmp_path, [{**bare, "output": "So."}], "--mauve", writer)
    assert (result["strict"]["mauve"], result["mauve_says"]) == (None, "")
    item = {"question": "Hall of", "docs": DOCS, "answer": "Nim", "answers": [["Nim"]]}
    _, _, _, result = run(tmp_path, [{**item, "output": "Nim"}], "--mauve", writer)
    assert result["strict"]["mauve"] is None


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--mauve", "compact", "--mauve compact: write hf:NAME_OR_PATH."),
        ("--qa-model", "some/model", "--qa-model some/model: write hf:NAME_OR_PATH."),
        ("--at-most-citations", "0", "--at-most-citations: write a number from 1."),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, option: str, value: str, words: str) -> None:
    status, _, message, result = run(tmp_path, [{**HALL, "output": "So."}], option, value)
    assert (status, message, result) == (2, f"{words}\n", None)


def test_mauve_compares_a_hundred_words_behind_the_question_without_the_last_marks() -> None:
    long = AlceAnswer(question="Why  so?", output=f"{'word ' * 120}[1].", answer="Because.\nYes!")
    empty = AlceAnswer(question="Why?", output="[1]", answer="So.")
    people, model = mauve_texts([long, empty], bare=remove_citations, is_strict=True)
    assert people == ["Why so? Because. Yes", "Why? So"]
    assert [len(text.split()) for text in model] == [100, 1]
    assert mauve_texts([empty], bare=remove_citations, is_strict=False) == ([], [])


# ---- Lines of question, contexts and answer ----------------------------------------------------
CONTEXTS: dict[str, Any] = {
    "question": "Who built it?",
    "contexts": [
        {"title": "Marlow Hall", "text": "Marlow Hall opened in 1904."},
        "Marlow Hall was built by Ann Rudd.",
    ],
    "answer": "Marlow Hall was built by Ann Rudd [2].\nMarlow Hall opened in 1904 [2].",
}


@pytest.mark.parametrize("options", [(), ("--format", "contexts")])
def test_statements_score_citations(tmp_path: Path, options: tuple[str, ...]) -> None:
    status, _, message, written = run(tmp_path, json.dumps(CONTEXTS) + "\n", *options)
    assert status == 0, message
    for way in ("strict", "corrected"):
        # The second statement, behind a line break of contexts, cites the wrong source.
        assert written[way]["citation_rec"] == written[way]["citation_prec"] == 50


def test_an_answer_that_cites_what_has_no_text_is_named_and_excluded(tmp_path: Path) -> None:
    bare = {**CONTEXTS, "question": "Who?", "contexts": ["Marlow Hall opened in 1904.", ""]}
    status, _, message, written = run(tmp_path, "\n".join(map(json.dumps, (CONTEXTS, bare))))
    assert (status, written["n"]) == (1, 1)
    assert "line 2, field contexts: the answer cites source 2, of which the file has no" in message


def test_an_answer_that_the_judge_refuses_is_named_by_its_line(tmp_path: Path, nli: Nli) -> None:
    def of(premise: str, hypothesis: str) -> EntailmentScore:
        if "odd" in hypothesis:
            raise RefusedPrompt("The filter stops this.")
        return EntailmentScore(entailed=1.0)

    nli.of = of
    lines = [CONTEXTS, {**CONTEXTS, "answer": "An odd one [1]."}]
    status, _, message, written = run(tmp_path, "\n\n".join(map(json.dumps, lines)))
    assert (status, written["n"]) == (1, 1)
    assert "run.json, line 3: The filter stops this." in message


@pytest.mark.parametrize(
    ("data", "recall"),
    [
        ({"args": {}, "data": [{**HALL, "output": ""}]}, None),
        ({**CONTEXTS, "contexts": [], "answer": "It was built by Ann Rudd."}, 0),
    ],
)
def test_an_answer_without_citations_has_no_precision(
    tmp_path: Path, data: dict[str, Any], recall: int | None
) -> None:
    status, _, message, result = run(tmp_path, json.dumps(data) + "\n")
    assert status == 0, message
    figures = result["corrected"]
    assert (figures["citation_rec"], figures["citation_prec"]) == (recall, None)
    if recall is None:
        assert result["strict"]["citation_rec"] is result["strict"]["citation_prec"] is None
        assert (result["strict"]["length"], result["strict"]["str_em"]) == (0.0, 0.0)
        assert (figures["length"], figures["str_em"]) == (0.0, 0.0)
