"""Contexts and TREC RAG lines in and out: datasets as they came, runs with what they made."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.importing.contexts import NAMES
from pipeline.models import Dataset, Revision
from pipeline.runs.line_files import DATASET_FORMATS, dataset_file, run_file
from tests.pipeline.importing.test_contexts import LINE
from tests.pipeline.importing.test_trec_rag import OF_2024, OF_2025
from tests.support.api import api_client
from tests.support.factories import make_dataset, make_passage, make_revision, make_run, make_user

pytestmark = pytest.mark.django_db

words = st.text(st.characters(exclude_categories=["C"]), max_size=12)
some_text = words.filter(str.strip)
values = st.none() | st.booleans() | st.integers() | st.floats(-9, 9) | words
values = values | st.lists(values, max_size=2) | st.dictionaries(words, values, max_size=2)
extras = st.dictionaries(words.map("own-".__add__) | st.just("line_names"), values, max_size=2)


@st.composite
def context_lines(draw: st.DrawFn, number: int) -> dict[str, Any]:
    names = {field: draw(st.sampled_from(NAMES[field])) for field in NAMES}
    contexts = st.lists(words | st.builds(lambda text: {"text": text, "n": 1}, words), max_size=3)
    line = {
        names["question"]: f"{draw(words)} {number}",
        names["contexts"]: draw(contexts),
        names["answer"]: draw(some_text),
        **draw(extras),
    }
    return line | draw(st.sampled_from([{}, {"id": number}, {"id": f"a-{number}"}]))


@st.composite
def trec_lines(draw: st.DrawFn, number: int) -> dict[str, Any]:
    references = draw(st.lists(some_text, min_size=1, max_size=3, unique=True))
    by_id = draw(st.booleans())
    cited = st.sampled_from(references) if by_id else st.integers(0, 4)
    part = st.fixed_dictionaries({"text": words, "citations": st.lists(cited, max_size=3)})
    line = draw(st.sampled_from([OF_2024 | {"topic_id": str(number)}, OF_2025]))
    if line is OF_2025:
        line = line | {"metadata": OF_2025["metadata"] | {"narrative_id": number}}
    documents = {name: {"segment": draw(words)} for name in references if draw(st.booleans())}
    return {
        **draw(extras),
        **line,
        "references": references,
        "answer": [*draw(st.lists(part, max_size=2)), {"text": "So it is.", "citations": []}],
        **({"documents": documents} if documents else {}),
    }


def imported(folder: Path, *lines: dict[str, Any], kind: str = "auto") -> Dataset:
    file, dataset = folder / "in.jsonl", make_dataset()
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    call_command("load_passages", str(file), "--dataset", dataset.slug, "--format", kind)
    return dataset


def written(dataset: Dataset, kind: str) -> list[dict[str, Any]]:
    data = b"".join(dataset_file(dataset, format=kind).chunks())
    return [json.loads(line) for line in data.decode().splitlines()]


@settings(max_examples=30, deadline=None)
@given(made=st.tuples(context_lines(1), context_lines(2)))
def test_contexts_come_out_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[dict[str, Any], ...]
) -> None:
    dataset = imported(tmp_path_factory.mktemp("contexts"), *made, kind="contexts")
    assert as_text(written(dataset, "contexts")) == as_text(made)


@settings(max_examples=30, deadline=None)
@given(made=st.tuples(trec_lines(1), trec_lines(2)))
def test_trec_lines_come_out_as_they_went_in(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[dict[str, Any], ...]
) -> None:
    dataset = imported(tmp_path_factory.mktemp("trec"), *made, kind="trec_rag")
    assert as_text(written(dataset, "trec_rag")) == as_text(made)


def as_text(lines: Any) -> list[str]:
    """1 and 1.0 and True are equal, but no text of theirs is."""
    return [json.dumps(line, sort_keys=True) for line in lines]


def test_an_answer_of_contexts_becomes_one_of_trec_and_back(tmp_path: Path) -> None:
    line = LINE | {"id": "7", "answer": "It is long [2]. It ends in the sea [1][2]."}
    (trec,) = written(imported(tmp_path, line), "trec_rag")
    assert (trec["topic_id"], trec["topic"]) == ("7", LINE["question"])
    assert trec["answer"] == [
        {"text": "It is long.", "citations": [1]},
        {"text": "It ends in the sea.", "citations": [0, 1]},
    ]
    assert trec["response_length"] == 8
    assert trec["documents"][trec["references"][1]]["segment"] == "75 miles."
    (back,) = written(imported(tmp_path, trec), "contexts")
    assert back["answer"] == line["answer"]
    assert [each["text"] for each in back["contexts"]] == ["It runs west.", "75 miles."]


def test_a_hagrid_answer_keeps_the_numbers_of_its_quotes(tmp_path: Path) -> None:
    quotes = [{"idx": n, "docid": f"d{n}", "text": f"The {n}."} for n in (3, 1)]
    answer = {"answer": "It is so [3].", "sentences": [{"text": "It is so [3]."}]}
    dataset = imported(tmp_path, {"query": "Why?", "quotes": quotes, "answers": [answer]})
    (line,) = written(dataset, "contexts")
    assert line["contexts"] == [
        {"title": "d1", "text": "The 1."}, "", {"title": "d3", "text": "The 3."},
    ]  # fmt: skip
    (trec,) = written(dataset, "trec_rag")
    assert trec["answer"] == [{"text": "It is so.", "citations": [2]}]
    assert trec["documents"][trec["references"][2]]["segment"] == "The 3."


def test_a_passage_without_sources_is_a_line_without_contexts() -> None:
    dataset = make_dataset()
    make_passage(dataset, external_id="q-1", text="One.", context="Which?", source={"model": "m"})
    assert written(dataset, "contexts") == [
        {"id": "q-1", "question": "Which?", "contexts": [], "answer": "One.", "model": "m"}
    ]


def test_a_line_with_a_key_of_that_name_leaves_as_any_other() -> None:
    dataset = make_dataset()
    source = {"line_names": {"question": [1], "contexts": {}, "answer": None}, "docs": ["a"]}
    make_passage(dataset, external_id="1", text="So [1].", context="Why?", source=source)
    assert written(dataset, "contexts") == [
        {"id": "1", "question": "Why?", "contexts": ["a"], "answer": "So [1]."}
    ]


@pytest.mark.parametrize("citations", [[-1], ["none"]])
def test_what_only_looks_like_a_line_of_trec_leaves_all_the_same(citations: list[Any]) -> None:
    dataset = make_dataset()
    source = {"references": ["s1"], "answer": [{"text": "So.", "citations": citations}]}
    make_passage(dataset, text="So it is.", source=source)
    (line,) = written(dataset, "trec_rag")
    assert line["answer"] == [{"text": "So it is.", "citations": []}]


def made_run(dataset: Dataset, system: str, **values: Any) -> list[list[dict[str, Any]]]:
    """What a run with one finished row writes in both formats."""
    run = make_run(dataset=dataset, system=system)
    found = {"title": "Found", "url": "", "text": "Something else.", "document_id": "d",
             "query": "q", "relevance": 1.0}  # fmt: skip
    passage = dataset.passages.get()
    before = {"id": passage.external_id, "text": passage.text, "context": passage.context}
    result = {"passage": before, "text": "", "report": {"evidence": [found]}}
    make_revision(
        run, passage=passage, state=Revision.State.DONE, original_text=passage.text,
        context=passage.context, result=result, **values,
    )  # fmt: skip
    files = [run_file(run, format=kind) for kind in ("contexts", "trec_rag")]
    return [
        [json.loads(line) for line in b"".join(each.chunks()).decode().splitlines()]
        for each in files
    ]


def test_a_revised_answer_stands_beside_the_sources_that_it_came_with(tmp_path: Path) -> None:
    dataset = imported(tmp_path, {**LINE, "id": "7"})
    (line,), (trec,) = made_run(dataset, "rarr", text="In the sea [1].")
    assert line == {**LINE, "id": "7", "answer": "In the sea [1].",
                    "original_answer": LINE["answer"]}  # fmt: skip
    assert trec["answer"] == [{"text": "In the sea.", "citations": [0]}]
    assert trec["run_id"].startswith(f"{dataset.slug}-rarr-")


def test_without_sources_of_its_own_it_stands_beside_the_report() -> None:
    dataset = make_dataset()
    make_passage(dataset, text="One.", context="Which?")
    (line,), _ = made_run(dataset, "rarr", text="Two.")
    assert line["contexts"] == [{"title": "Found", "text": "Something else."}]


def test_an_answer_of_a_strategy_stands_beside_what_it_cites(tmp_path: Path) -> None:
    (line,), (trec,) = made_run(imported(tmp_path, LINE), "vanilla", text="")
    assert line["contexts"] == [{"title": "Found", "text": "Something else."}]
    assert "original_answer" not in line
    assert next(iter(trec["documents"].values()))["segment"] == "Something else."


@pytest.mark.parametrize("kind", DATASET_FORMATS)
def test_pages_commands_and_the_api_offer_every_format(
    tmp_path: Path, client: Client, kind: str
) -> None:
    researcher = make_user(role="researcher")
    client.force_login(researcher)
    dataset = imported(tmp_path, OF_2024)
    whole = b"".join(dataset_file(dataset, format=kind).chunks())
    address = reverse("pipeline:download-dataset", args=[dataset.slug])
    assert b"".join(client.get(address, {"format": kind})) == whole
    out = tmp_path / "out.jsonl"
    call_command("export", "--dataset", dataset.slug, "--format", kind, "--out", str(out))
    assert out.read_bytes() == whole
    api = api_client(researcher)
    found = api.get(f"/api/datasets/{dataset.slug}/download/", {"lines": kind})
    assert b"".join(found) == whole
    assert client.get(address, {"format": "rarr"}).status_code == 404
    assert api.get(f"/api/datasets/{dataset.slug}/download/", {"lines": "x"}).status_code == 400
    with pytest.raises(CommandError, match="hagrid, contexts or trec_rag, not rarr"):
        call_command("export", "--dataset", dataset.slug, "--format", "rarr", "--out", "x")
