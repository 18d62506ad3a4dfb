"""How good compact's questions are: what they cover, how they read, what they find.

    python -m research.queries DATA_FOLDER [--encoder FOLDER]

DATA_FOLDER holds real/ and dev/. The baseline is the passage's own sentences as queries. "Human
questions": for each of AVeriTeC's verification questions, the best of our questions about the same
claim; `covers` is the share of its content words (weighted by rarity) that ours has, `F1` the
harmonic mean with the share of ours that it has. `--encoder` adds the cosine of sentence embeddings
(a folder with a BERT-like model that is read by mean pooling). Intervals are 95 %: Wilson's for
shares of independent cases, else a bootstrap over claims.
"""

import argparse
import json
import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import mean, median

from pipeline.backends.compact.queries import CompactQueryGenerator
from pipeline.backends.compact.text.spans import mentions
from pipeline.backends.compact.text.words import words
from pipeline.backends.tantivy_corpus import CorpusWriter, TantivyCorpus
from pipeline.rarr.research import generate_queries
from pipeline.rarr.types import Document, Passage, Query
from pipeline.text.sentences import split_sentences
from research.swap_set import read_jsonl
from research.swaps import shown

GENERATOR = CompactQueryGenerator()
LIKE_FROM = 0.5
"""F1 from which a human question counts as asked by one of ours."""
RESAMPLES = 1000

KINDS = (
    ("when", re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|month|day|decade)", re.I)),
    ("where", re.compile(r"\bwhere\b|\b(?:what|which) (?:place|country|city|state)\b", re.I)),
    ("who", re.compile(r"\bwho(?:m|se)?\b", re.I)),
    ("how many", re.compile(r"\bhow (?:many|much|old|long|tall)|what (?:percent|number)", re.I)),
    ("yes or no", re.compile(r"^(?:is|are|was|were|do|does|did|has|have|had|can)\b", re.I)),
    ("what or which", re.compile(r"\b(?:what|which)\b", re.I)),
)  # fmt: skip

Way = Callable[[Passage], Sequence[Query]]


def ours(passage: Passage) -> Sequence[Query]:
    return generate_queries(passage, generator=GENERATOR, samples=1, temperature=0.0)[0]


def sentences(passage: Passage) -> Sequence[Query]:
    return [Query(text=place.of(passage.text)) for place in split_sentences(passage.text)]


WAYS: dict[str, Way] = {"ours": ours, "the sentence": sentences}


def passages(data: Path) -> Iterator[tuple[str, Passage]]:
    """(source, passage): FAVA, WiCE and AttributionBench's sound sentences."""
    for row in read_jsonl(data / "real" / "fava_passages.jsonl"):
        yield "FAVA", Passage(id=row["id"], text=row["text"], context=row["context"] or "")
    for row in read_jsonl(data / "real" / "wice_passages.jsonl"):
        info = row["input_info"]
        yield "WiCE", Passage(id=row["id"], text=info["claim"], context=info["context"] or "")
    for row in read_jsonl(data / "dev" / "attributionbench_dev.jsonl"):
        if row["label"] == 1:
            text, context = row["hypothesis"], row["context"] or ""
            yield "AttributionBench", Passage(id=row["id"], text=text, context=context)


def coverage_and_reading(data: Path) -> None:
    """Prints the share of spans asked about, and how the questions read."""
    asked: Counter[str] = Counter()
    spans: Counter[str] = Counter()
    texts: list[str] = []
    for source, passage in passages(data):
        queries = ours(passage)
        about = {(q.about.start, q.about.end) for q in queries if q.about}
        found = mentions(passage.text)
        for name in (source, "all"):
            spans[name] += len(found)
            asked[name] += sum((m.start, m.end) in about for m in found)
        texts += [query.text for query in queries]
    print("\ncheck-worthy spans asked about")
    for name, total in spans.items():
        print(f"  {name:32}{shown(asked[name], total)}")
    print(f"\nhow {len(texts)} questions read")
    print(
        f"  {'end in a question mark':32}{shown(sum(t.endswith('?') for t in texts), len(texts))}"
    )
    print(f"  {'median words':32}{median(len(t.split()) for t in texts):.0f}")


def kind_of(question: str) -> str:
    return next((kind for kind, pattern in KINDS if pattern.search(question)), "other")


def rarity(texts: Sequence[str]) -> Callable[[str], float]:
    """Inverse document frequency of a stem over the claims and questions."""
    count = Counter(stem for text in texts for stem in stems(text))
    return lambda stem: math.log((len(texts) + 1) / (count[stem] + 0.5))


@cache
def stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(text) if word.is_content)


def likeness(human: str, mine: str, weigh: Callable[[str], float]) -> tuple[float, float]:
    """(covers, F1) of a human question by one of ours, 0.0 to 1.0."""
    both = sum(map(weigh, stems(human) & stems(mine)))
    of_human, of_mine = sum(map(weigh, stems(human))), sum(map(weigh, stems(mine)))
    if not both:
        return 0.0, 0.0
    return both / of_human, 2 * both / (of_human + of_mine)


def interval(by_claim: Sequence[Sequence[float]]) -> str:
    """The mean over all values with a bootstrap over claims."""
    chance = random.Random(3)
    values = [value for group in by_claim for value in group]
    means = []
    for _ in range(RESAMPLES):
        picked = chance.choices(by_claim, k=len(by_claim))
        means.append(mean(value for group in picked for value in group))
    means.sort()
    low, high = means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES)]
    return f"{mean(values):.3f} [{low:.3f}, {high:.3f}]"


def against_humans(data: Path, encoder: Path | None) -> None:
    """Prints how like AVeriTeC's questions ours are. Nothing of them is kept."""
    rows = json.loads((data / "dev" / "averitec" / "questions.json").read_text("utf-8"))
    claims = [(row["claim"], [q["question"] for q in row["questions"]]) for row in rows]
    claims = [(claim, asked) for claim, asked in claims if asked]
    weigh = rarity([t for claim, asked in claims for t in (claim, *asked)])
    total = sum(len(asked) for _, asked in claims)
    print(f"\nagainst {total} human questions about {len(claims)} claims")
    embed = embedder(encoder) if encoder else None
    for name, way in WAYS.items():
        covers, fits, like, same_kind, cosines = [], [], [], [], []
        for claim, asked in claims:
            mine = [query.text for query in way(Passage(id="", text=claim))]
            scores = [[likeness(q, m, weigh) for m in mine] or [(0.0, 0.0)] for q in asked]
            covers.append([max(c for c, _ in row) for row in scores])
            fits.append([max(f for _, f in row) for row in scores])
            like.append([float(max(f for _, f in row) >= LIKE_FROM) for row in scores])
            kinds = {kind_of(m) for m in mine}
            same_kind.append([float(kind_of(q) in kinds) for q in asked])
            if embed:
                vectors = embed([*asked, *(mine or [""])])
                table = vectors[: len(asked)] @ vectors[len(asked) :].T
                cosines.append([float(row.max()) for row in table])
        print(f"  {name}")
        print(f"    {'covers':30}{interval(covers)}")
        print(f"    {'F1':30}{interval(fits)}")
        print(f"    {f'F1 of {LIKE_FROM} or more':30}{interval(like)}")
        print(f"    {'a question of the same kind':30}{interval(same_kind)}")
        if cosines:
            print(f"    {'cosine of embeddings':30}{interval(cosines)}")


def embedder(folder: Path):  # type: ignore[no-untyped-def]
    """Texts → rows of unit length, by mean pooling."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()

    def embed(texts: Sequence[str]):  # type: ignore[no-untyped-def]
        batch = tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
        with torch.inference_mode():
            hidden = model(**batch).last_hidden_state
        mask = batch["attention_mask"][:, :, None]
        pooled = (hidden * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(pooled, dim=1).numpy()

    return embed


def finding(data: Path) -> None:
    """Prints how often a query finds the page that the WiCE sentence cites."""
    rows = list(read_jsonl(data / "real" / "wice_passages.jsonl"))
    documents = list(read_jsonl(data / "real" / "wice_corpus.jsonl"))
    with tempfile.TemporaryDirectory() as folder:
        with CorpusWriter(Path(folder)) as writer:
            for row in documents:
                writer.add(Document(**{key: row[key] for key in ("id", "title", "url", "text")}))
        corpus = TantivyCorpus(Path(folder))
        print(f"\nfinding the cited page among {len(documents)}")
        for name, way in WAYS.items():
            each: list[list[int]] = []
            # The n-th page is the one that the n-th sentence cites; some pages are cited twice.
            for row, cited in zip(rows, documents, strict=True):
                info = row["input_info"]
                passage = Passage(id="", text=info["claim"], context=info["context"] or "")
                results = corpus.search([q.text for q in way(passage)], limit=5)
                each.append([rank(found, cited["text"]) for found in results])
            queries = [place for group in each for place in group]
            for limit in (1, 5):
                hits = sum(place <= limit for place in queries)
                any_hit = sum(min(group, default=99) <= limit for group in each)
                print(f"  {name:14} a query, first {limit}:      {shown(hits, len(queries))}")
                print(f"  {name:14} any of a passage's, first {limit}: {shown(any_hit, len(each))}")


def rank(found: Sequence[Document], text: str) -> int:
    """The place of the page with this text, from 1; 99 where it was not found."""
    return next((n for n, document in enumerate(found, 1) if document.text == text), 99)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("data", type=Path, help="the folder that holds dev/ and real/")
    parser.add_argument("--encoder", type=Path, help="a folder with a sentence encoder")
    options = parser.parse_args()
    coverage_and_reading(options.data)
    against_humans(options.data, options.encoder)
    finding(options.data)


if __name__ == "__main__":
    main()
