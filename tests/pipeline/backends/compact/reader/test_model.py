"""The reader: the same answers however they are asked for, each computed once."""

import math
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from pipeline.backends.compact.reader import layout, model, results, weights
from pipeline.backends.compact.reader.layout import HYPOTHESIS_TOKENS, PREMISE_TOKENS, EncodedRow
from pipeline.backends.compact.reader.model import Reader, windows_of
from pipeline.backends.compact.reader.results import PointerQuery, Read, SpanLogits
from pipeline.rarr.errors import BadConfig
from tests.pipeline.backends.compact.reader.tiny import checkpoint, tiny_reader, tiny_tokenizer

MILL = "The mill stands by the river. It was built in 1852 of brick and stone."
PAIRS = [
    (MILL, "The mill was built in 1852."),
    (MILL, "It has 12 windows, and stands in 1904."),
    ("The river.", "The mill stands."),
    (MILL, "It was built of stone."),
    ("It has 12 windows. " * 5, "The mill has windows."),
]
EVEN = 1e-5
"""What float32 sums in another order may differ by."""


def judged(read: Read) -> list[float]:
    verdict = read.verdict
    doubts = [doubt for _, _, doubt in read.doubts]
    return [verdict.entailment, verdict.neutral, verdict.contradiction, *doubts]


def alone(pair: tuple[str, str]) -> list[float]:
    return judged(tiny_reader().read([pair])[0])


class Counted:
    """Counts the rows that go through a reader's network."""

    def __init__(self, reader: Reader) -> None:
        self.rows = 0
        self._states = reader._forward._states
        reader._forward._states = self  # type: ignore[method-assign]

    def __call__(self, rows: Sequence[EncodedRow], *, premises: bool) -> list[torch.Tensor]:
        self.rows += len(rows)
        return self._states(rows, premises=premises)


@pytest.mark.parametrize("is_small", [False, True])
def test_a_pair_is_independent_of_others(monkeypatch: pytest.MonkeyPatch, is_small: bool) -> None:
    expected = [alone(pair) for pair in PAIRS]
    assert len({tuple(each) for each in expected}) == len(PAIRS)
    reader = tiny_reader()
    if is_small:
        monkeypatch.setattr(layout, "ROW_TOKENS", 1)
        reader._forward._batch_tokens = 1
    for read, wanted in zip(reader.read(PAIRS), expected, strict=True):
        assert judged(read) == pytest.approx(wanted, abs=EVEN)
        assert sum(judged(read)[:3]) == pytest.approx(1)


def test_pairs_questions_and_premises_are_computed_once() -> None:
    reader = tiny_reader()
    counted = Counted(reader)
    first = reader.read([PAIRS[0], PAIRS[2], PAIRS[0]])
    assert first[0] is first[2]
    assert reader.read([PAIRS[2], PAIRS[0]]) == [first[1], first[0]]
    assert counted.rows == 2
    reader.read([(MILL, f"The mill has {number} windows.") for number in range(9)])
    assert counted.rows == 3
    ask = PointerQuery(premise=MILL, text="It was built in 1904.", start=16, end=20)
    assert reader.point([ask])[0] is reader.point([ask])[0]
    assert counted.rows == 4


def test_several_threads_get_the_same_answers() -> None:
    reader = tiny_reader()
    expected = [alone(pair) for pair in PAIRS]
    with ThreadPoolExecutor(4) as threads:
        for reads in threads.map(reader.read, [PAIRS] * 4):
            for read, wanted in zip(reads, expected, strict=True):
                assert judged(read) == pytest.approx(wanted, abs=EVEN)


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u200b"])
def test_blank_texts_are_read(blank: str) -> None:
    reader = tiny_reader()
    assert (reader.read([]), reader.point([])) == ([], [])
    for read in reader.read([(blank, "The mill."), (MILL, blank), (blank, blank)]):
        assert sum(judged(read)[:3]) == pytest.approx(1)
    assert reader.read([(MILL, blank)])[0].doubts == ()
    pointed = reader.point([PointerQuery(premise=blank, text=blank, start=0, end=0)])[0]
    assert pointed.best() is None
    assert pointed.score(0, 1) == -math.inf


def test_a_long_premise_is_cut_and_a_long_hypothesis_too() -> None:
    reader = tiny_reader()
    long = "the " * PREMISE_TOKENS
    assert judged(reader.read([(long + MILL, "The mill.")])[0]) == pytest.approx(
        judged(reader.read([(long, "The mill.")])[0])
    )
    read = reader.read([(MILL, "the mill " * HYPOTHESIS_TOKENS)])[0]
    assert len(read.doubts) == HYPOTHESIS_TOKENS


def test_a_question_too_long_keeps_its_mask() -> None:
    reader = tiny_reader()
    text = "the river " * HYPOTHESIS_TOKENS + "mill"
    short = text[-len("the river ") * (HYPOTHESIS_TOKENS // 2) - 9 :]
    masked = PointerQuery(premise=MILL, text=text, start=len(text) - 4, end=len(text))
    cut, other = reader.point([masked, PointerQuery(premise=MILL, text=short, start=0, end=3)])
    assert cut.best() is not None
    assert cut.none != other.none


def test_a_very_long_word_and_any_script_are_read() -> None:
    reader = tiny_reader()
    for text in ("m" * 5000, "城市 Café 👩‍🌾 \u202eabc\u202c", "a\x00b", "e\u0301" * 40):
        read = reader.read([(text, text)])[0]
        assert all(0 <= start < end <= len(text) for start, end, _ in read.doubts)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The millers, built in 12-22.", ["The", "millers", "built", "in", "12-22"]),
        ("[MASK] [SEP] the mill", ["MASK", "SEP", "the", "mill"]),
    ],
)
def test_each_word_has_a_doubt_and_marks_have_none(text: str, words: list[str]) -> None:
    doubts = tiny_reader().read([(MILL, text)])[0].doubts
    assert [text[start:end] for start, end, _ in doubts] == words
    assert all(0 < doubt < 1 for _, _, doubt in doubts)


def test_a_span_is_scored_by_its_ends_and_the_best_is_the_best_of_all_short_ones() -> None:
    pointed = tiny_reader().point([PointerQuery(premise=MILL, text="Built in?", start=9, end=9)])[0]
    start = MILL.index("1852")
    tokens = {tuple(span): number for number, span in enumerate(pointed.spans.tolist())}
    year, brick = tokens[start, start + 4], tokens[start + 8, start + 13]
    for end, last in ((start + 4, year), (start + 13, brick)):
        expected = pointed.starts[year] + pointed.ends[last]
        assert pointed.score(start, end) == pytest.approx(expected)
    assert pointed.score(start + 1, start + 2) == pointed.score(start, start + 4)
    assert pointed.score(len(MILL), len(MILL) + 5) == -math.inf
    count = len(pointed.starts)
    best = pointed.best()
    assert best is not None
    scores = [
        float(pointed.starts[first] + pointed.ends[last])
        for first in range(count)
        for last in range(first, min(first + results.LONGEST_ANSWER, count))
    ]
    assert best[2] == pytest.approx(max(scores))
    assert pointed.score(best[0], best[1]) == pytest.approx(best[2])


def test_what_was_cut_off_has_no_score() -> None:
    premise = "the " * PREMISE_TOKENS + "mill"
    pointed = tiny_reader().point([PointerQuery(premise=premise, text="?", start=1, end=1)])[0]
    assert pointed.score(len(premise) - 4, len(premise)) == -math.inf
    assert pointed.score(0, 3) > -math.inf


def test_questions_read_the_same_alone_and_among_others() -> None:
    pairs = [*PAIRS, *PAIRS[::-1]]
    asks = [PointerQuery(premise=one, text=other, start=4, end=8) for one, other in pairs]
    for ask, pointed in zip(asks, tiny_reader().point(asks), strict=True):
        single: SpanLogits = tiny_reader().point([ask])[0]
        assert pointed.none == pytest.approx(single.none, abs=1e-4)
        assert pointed.starts == pytest.approx(single.starts, abs=1e-4)
        assert pointed.ends == pytest.approx(single.ends, abs=1e-4)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tiny weights in the place of the package's own."""
    monkeypatch.setattr(model, "_process", model._ReaderState())
    checkpoint(tmp_path / "w")
    tiny_tokenizer().save(str(tmp_path / "tokenizer.json"))
    monkeypatch.setattr(weights, "WEIGHTS", tmp_path / "w")
    monkeypatch.setattr(weights, "TOKENIZER", tmp_path / "tokenizer.json")
    return tmp_path


def test_the_packages_reader_is_loaded_once_and_a_missing_tokenizer_named(package: Path) -> None:
    reader = model.shipped()
    (package / "w").unlink()
    assert model.shipped() is reader
    assert sum(judged(reader.read(PAIRS)[0])[:3]) == pytest.approx(1)
    model.configure(threads=0, device="cpu")
    checkpoint(package / "w")
    (package / "tokenizer.json").unlink()
    with pytest.raises(BadConfig, match="tokenizer is not at"):
        model.shipped()


def test_threads_and_device_are_those_that_were_set(package: Path) -> None:
    before = torch.get_num_threads()
    try:
        model.configure(threads=3, device="cpu")
        model.shipped()
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    model.configure(threads=0, device="cuda:77")
    with pytest.raises(BadConfig, match="no device 'cuda:77'"):
        model.shipped()
    refusal = "no device 'toaster' on this machine: write auto, cpu, cuda"
    with pytest.raises(BadConfig, match=refusal):
        tiny_reader(device="toaster")


def test_importing_the_backend_imports_nothing_heavy() -> None:
    program = """
import sys, pipeline.backends.compact.reader.model as model
model.configure(threads=1, device="cpu")
print(sorted({"torch", "transformers", "tokenizers", "numpy", "spacy"} & set(sys.modules)))
"""
    output = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert output.strip() == "[]"


def windowed(text: str, *, sentences: int, step: int, limit: int) -> list[str]:
    tokens = [match.span() for match in re.finditer(r"\S+", text)]
    ranges = windows_of(text, tokens, sentences=sentences, step=step, limit=limit)
    return [text[start:end] for start, end in ranges]


def test_windows_step_on_and_the_last_one_ends_with_the_text() -> None:
    text = "A a. B b. C c. D d. E e."
    assert windowed(text, sentences=3, step=2, limit=99) == ["A a. B b. C c.", "C c. D d. E e."]
    assert windowed(text, sentences=2, step=2, limit=99) == ["A a. B b.", "C c. D d.", "E e."]
    for blank in ("", "   ", "\n\n"):
        assert windowed(blank, sentences=5, step=3, limit=9) == []


def test_no_window_is_longer_than_the_limit_and_no_word_is_excluded() -> None:
    assert windowed("a b c d e f g", sentences=1, step=1, limit=3) == ["a b c", "d e f", "g"]
    text = "A b c d. E f g. H i. J k l m n o p. Q."
    pieces = windowed(text, sentences=3, step=3, limit=5)
    assert all(len(window.split()) <= 5 for window in pieces)
    assert set(" ".join(pieces).split()) == set(text.split())


def test_a_reader_cuts_by_its_tokens() -> None:
    reader = tiny_reader()
    text = "The mill stands by the river. " * 100
    ranges = reader.windows(text, sentences=200, step=200)
    assert len(ranges) > 2
    assert all(len(text[start:end].split()) * 7 / 6 <= 254 for start, end in ranges)


HART_MILL = "Hart Mill stands in Denby. It was built by Otto Hart in 1852 and has 12 windows."


def test_the_shipped_reader_tells_right_from_wrong_and_finds_the_answer() -> None:
    assert weights.WEIGHTS.stat().st_size < 30_000_000
    reader = model.shipped()
    right, wrong = reader.read(
        [(HART_MILL, "Hart Mill was built in 1852."), (HART_MILL, "Hart Mill was built in 1921.")]
    )
    # By `research/readers.py` these are also what the library's own BERT makes of the weights.
    assert judged(right)[:3] == pytest.approx([0.96954, 0.00285, 0.02761], abs=1e-4)
    assert judged(wrong)[:3] == pytest.approx([0.01711, 0.02134, 0.96155], abs=1e-4)
    assert right.doubts[-1][2] == pytest.approx(0.08277, abs=1e-4)
    assert wrong.doubts[-1][2] == pytest.approx(0.99638, abs=1e-4)
    text = "Hart Mill was built in 1921."
    best = reader.point([PointerQuery(premise=HART_MILL, text=text, start=23, end=27)])[0].best()
    assert best is not None
    assert HART_MILL[best[0] : best[1]] == "1852"
