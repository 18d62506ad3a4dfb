"""What comes in as a file goes out as one: datasets in HAGRID's shape, runs in RARR's."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.data.splits import Part
from pipeline.models import Dataset, Revision
from pipeline.runs.imported import get_unrevised_run
from pipeline.runs.line_files import answers_file, dataset_file, run_file
from tests.support.factories import make_dataset, make_passage, make_revision, make_row
from tests.support.revision_rows import ORIGINAL, REVISED, make_viaduct

pytestmark = pytest.mark.django_db

words = st.text(st.characters(exclude_categories=["C"]), max_size=12)
some_text = words.filter(str.strip)
labels = st.sampled_from([0, 1, None])
keys = words.map("own-".__add__)
extras = st.dictionaries(keys, st.none() | st.integers() | st.lists(words), max_size=2)


def objects(needed: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    made = st.fixed_dictionaries(needed, optional=optional)
    return st.builds(lambda known, mine: {**mine, **known}, made, extras)


sentences = objects(
    {"text": words},
    {"index": st.integers(0, 9), "informative": labels, "attributable": labels},
)
answers = objects(
    {"answer": some_text},
    {
        "answer_type": st.sampled_from(["short", "long", None]),
        "informative": labels,
        "attributable": labels,
        "sentences": st.none() | st.lists(sentences, max_size=2),
    },
)
quotes = objects({"text": words}, {"idx": st.integers(0, 9), "docid": words})
lines = objects(
    {"query": words, "answers": st.lists(answers, min_size=1, max_size=3)},
    {
        "query_id": st.none() | st.integers(0, 9) | st.sampled_from(["", "0-1", "0", "a b"]),
        "quotes": st.none() | st.lists(quotes, max_size=3),
        "answer": st.integers(),
    },
)


def name_of(line: dict[str, Any]) -> str:
    """Two lines may not have one id, nor be the same without an id."""
    name = line.get("query_id")
    return json.dumps({**line, "own": 0}, sort_keys=True) if name in (None, "") else str(name)


def text_of(made: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in made)


def imported(folder: Path, text: str, format_: str = "hagrid") -> Dataset:
    file = folder / "in.jsonl"
    file.write_text(text, encoding="utf-8")
    dataset = make_dataset()
    call_command("load_passages", str(file), "--dataset", dataset.slug, "--format", format_)
    return dataset


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.decode().splitlines()]


@settings(max_examples=40, deadline=None)
@given(made=st.lists(lines, min_size=1, max_size=4, unique_by=name_of))
def test_a_hagrid_file_comes_out_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, made: list[dict[str, Any]]
) -> None:
    dataset = imported(tmp_path_factory.mktemp("hagrid"), text_of(made))
    once = b"".join(dataset_file(dataset).chunks())
    assert lines_of(once) == made
    again = imported(tmp_path_factory.mktemp("again"), once.decode())
    assert b"".join(dataset_file(again).chunks()) == once
    columns = ("external_id", "text", "context", "source")
    assert [*again.passages.values_list(*columns)] == [*dataset.passages.values_list(*columns)]


def test_a_passage_of_another_format_is_a_line_of_its_own() -> None:
    dataset = make_dataset()
    source = {"query": "Other?"}
    for name in ("q-1", "q-2"):
        make_passage(dataset, external_id=name, text="One.", context="Which?", source=source)
    assert lines_of(b"".join(dataset_file(dataset).chunks())) == [
        {"query": "Which?", "query_id": name, "quotes": [], "answers": [{"answer": "One."}]}
        for name in ("q-1", "q-2")
    ]


def test_an_object_under_answer_of_another_format_replaces_no_text(tmp_path: Path) -> None:
    answer, texts = {"answer": "Bela Moss.", "model": "x"}, {"a": "Ada Lee.", "b": "Cy Orr."}
    received = [
        {"id": name, "text": text, "context": f"Who opened mill {name}?", "answer": answer}
        for name, text in texts.items()
    ]
    dataset = imported(tmp_path, text_of(received), format_="jsonl")
    expected = [
        {"query_id": name, "query": f"Who opened mill {name}?", "answers": [{"answer": text}]}
        for name, text in texts.items()
    ]
    assert lines_of(b"".join(dataset_file(dataset).chunks())) == [
        {**line, "quotes": [], "answer": answer} for line in expected
    ]


def test_questions_without_answers_keep_their_gold_answers(tmp_path: Path) -> None:
    empty = {"query": "Why?", "query_id": "1", "quotes": [], "answers": []}
    dataset = imported(tmp_path, text_of([empty]))
    assert lines_of(b"".join(dataset_file(dataset).chunks())) == [empty]
    received = {"id": "2", "question": "Who?", "answers": ["Ada Lee", "A. Lee"]}
    dataset = imported(tmp_path, text_of([received]), format_="questions")
    text = b"".join(dataset_file(dataset).chunks()).decode()
    assert json.loads(text)["gold_answers"] == received["answers"]
    again = imported(tmp_path, text)
    (one,), (other,) = again.passages.all(), dataset.passages.all()
    assert one.source.gold == other.source.gold is not None
    assert b"".join(dataset_file(again).chunks()).decode() == text


def test_alces_data_comes_out_as_it_went_in(tmp_path: Path) -> None:
    doc = {"id": "9", "title": "Hall", "text": "It opened in 1904.", "score": 0.5, "summary": "s"}
    items = [
        {
            "sample_id": "a",
            "question": "When?",
            "docs": [doc],
            "qa_pairs": [{"short_answers": ["1904"], "question": "When?", "context": "c"}],
            "annotations": [{"long_answer": "In 1904.", "knowledge": []}],
        },
        {"sample_id": "b", "question": "Who?", "docs": [doc], "answers": [["Ada", "A."]]},
        {"sample_id": "c", "question": "Why?", "docs": [doc], "answer": "So.", "claims": ["So."]},
    ]
    file, out = tmp_path / "in.json", tmp_path / "out.json"
    for written in (items, [{**each, "output": "So [1]."} for each in items]):
        file.write_text(json.dumps(written))
        dataset = make_dataset()
        call_command("load_passages", str(file), "--dataset", dataset.slug)
        call_command("export", dataset=dataset.slug, format="alce", out=out, force=True)
        assert json.loads(out.read_text()) == written
    run = get_unrevised_run(dataset, created_by=None)
    answers = json.loads(b"".join(answers_file(run).chunks()))["data"]
    assert [each["docs"] for each in answers] == [[doc]] * 3
    assert [each.get("answer") for each in answers] == [None, None, "So."]


def test_a_run_leaves_as_the_public_rarr_program_writes_it() -> None:
    first = make_viaduct()
    fields = {"input_info": {"speaker": "Ada"}, "my_id": 7, "result": "of old"}
    first.passage.source = make_row(source=fields).source
    first.passage.save()
    make_viaduct(first.run)
    make_revision(first.run)
    make_viaduct(first.run, state=Revision.State.FAILED)
    make_viaduct(first.run, result={"text": 3})
    file = run_file(first.run)
    one, another = lines_of(b"".join(file.chunks()))
    assert one["input_info"] == {"speaker": "Ada", "claim": ORIGINAL, "context": first.context}
    assert (one["id"], one["my_id"]) == (first.passage.external_id, 7)
    assert one["result"]["revisions"][0]["revised_text"] == REVISED
    assert one["result"] == another["result"]
    manifest = file.manifest()
    assert manifest["counts"] == {"lines": 2, "passages": 2}
    assert manifest["excluded"] == {"unfinished": 2, "unreadable": 1}
    assert manifest["run"]["id"] == first.run.pk


@pytest.mark.parametrize(
    ("info", "others"),
    [
        ({"model_outputs_explanation": "One."}, {}),
        ({"topic": "x", "model_outputs_explanation": "One.", "context": None, "n": 1}, {"my": 7}),
        ({"context": "Why?\nB: 🙂", "claim": "One."}, {"a": None}),
        ({"claim": "One.", "context": "", "id": 7}, {}),
        ({"claim": "One."}, {"id": "7"}),
        ({"claim": "One."}, {"id": 7}),
    ],
)
def test_a_line_of_the_public_rarr_program_comes_out_as_it_went_in(
    tmp_path: Path, info: dict[str, Any], others: dict[str, Any]
) -> None:
    snippet = {"text": "B.", "url": "https://example.org", "query": "Q?", "retrieval_score": 0.5}
    result = {
        "context": info.get("context"),
        "text": "One.",
        "questions": ["Q?"],
        "evidences_for_questions": [[snippet]],
        "revisions": [
            {
                "original_text": "One.",
                "revised_text": "Two.",
                "evidences": [snippet],
                "agreement_gates": [{"is_open": True, "reason": "Differs.", "decision": "d"}],
                "revision_steps": [{"text": "Two."}],
            }
        ],
        "selected_evidences": [{"text": "B."}],
    }
    named = {key: value for key, value in others.items() if key == "id"}
    rest = {key: value for key, value in others.items() if key != "id"}
    text = text_of([{**named, "input_info": info, **rest, "result": result}])
    dataset = imported(tmp_path, text, format_="rarr")
    assert b"".join(run_file(dataset.runs.get()).chunks()).decode() == text


def test_an_exported_run_loads_as_equal_passages(tmp_path: Path) -> None:
    row = make_viaduct()
    first = imported(tmp_path, b"".join(run_file(row.run).chunks()).decode(), "rarr")
    second = imported(tmp_path, b"".join(run_file(first.runs.get()).chunks()).decode(), "rarr")
    fields = ("external_id", "text", "context")
    before = list(row.run.dataset.passages.values_list(*fields))
    assert [*first.passages.values_list(*fields)] == before
    assert [*second.passages.values_list(*fields)] == before
    assert {each.content_hash for each in first.passages.all()} == {
        each.content_hash for each in second.passages.all()
    }


@pytest.mark.parametrize("kind", ["dataset", "run"])
def test_a_split_has_each_passage_in_one_part(kind: str) -> None:
    first = make_viaduct()
    for _ in range(9):
        make_viaduct(first.run)
    # A test's own ids: ten in a row that are drawn may all be of one part.
    for number, passage in enumerate(first.run.dataset.passages.order_by("pk")):
        passage.external_id = f"split-{number}"
        passage.save()
    make: Any = dataset_file if kind == "dataset" else run_file
    of = first.run.dataset if kind == "dataset" else first.run
    key = "query_id" if kind == "dataset" else "id"

    def keys(part: Part | None = None) -> list[str]:
        return [line[key] for line in lines_of(b"".join(make(of, part=part).chunks()))]

    parts = {part.name: keys(part) for part in Part.both(dev=0.5)}
    assert sorted(parts["train"] + parts["dev"]) == sorted(keys())
    assert all(Part(name="dev", dev=0.5).holds(each) for each in parts["dev"])
    assert all(parts.values())


def test_a_long_run_is_streamed(django_assert_max_num_queries: Any) -> None:
    run = make_viaduct().run
    for _ in range(9):
        make_viaduct(run)
    with django_assert_max_num_queries(2):
        assert sum(map(len, run_file(run).chunks())) > 10_000


def test_the_command_writes_them_with_a_manifest(tmp_path: Path) -> None:
    row = make_viaduct()
    exports = (("run", row.run.pk, "rarr"), ("dataset", row.run.dataset.slug, "hagrid"))
    for what, key, layout in exports:
        out = tmp_path / f"{layout}.jsonl"
        call_command("export", f"--{what}={key}", f"--format={layout}", f"--out={out}")
        manifest = json.loads((tmp_path / f"{layout}.jsonl.manifest.json").read_text())
        assert manifest["counts"] == {"lines": 1, "passages": 1}
        assert manifest["bytes"] == out.stat().st_size > 0


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (["--run=1", "--format=hagrid"], "exported as rarr"),
        (["--dataset=x", "--format=csv"], "exported as hagrid"),
        (["--run=123456", "--format=rarr"], "no run 123456"),
        (["--dataset=nothing", "--format=hagrid"], "no dataset 'nothing'"),
        (["--campaign=x", "--format=rarr"], "format of runs"),
    ],
)
def test_the_command_refuses_what_cannot_be_written(
    tmp_path: Path, of: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=words) as raised:
        call_command("export", *of, f"--out={tmp_path / 'out.jsonl'}")
    assert raised.value.returncode == 2


def test_researchers_download_them(as_researcher: Client) -> None:
    row = make_viaduct()
    Dataset.objects.update(passage_count=1)
    pages = [
        reverse("pipeline:download-run", args=[row.run.pk]),
        reverse("pipeline:download-dataset", args=[row.run.dataset.slug]),
    ]
    for page in pages:
        response = as_researcher.get(page)
        data = response.getvalue()
        assert len(lines_of(data)) == 1
        assert response["Content-Disposition"].startswith("attachment")
        manifest = as_researcher.get(page, {"manifest": ""}).json()
        assert manifest["bytes"] == len(data)
    run_page = as_researcher.get(row.run.get_absolute_url()).content.decode()
    assert f'href="{pages[0]}"' in run_page
    dataset_page = as_researcher.get(row.run.dataset.get_absolute_url()).content.decode()
    assert f'href="{pages[1]}"' in dataset_page
