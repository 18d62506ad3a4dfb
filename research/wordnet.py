"""Antonyms and co-hyponyms of common words, from WordNet 3.0's files; for training only.

The files are those of Debian's package `wordnet-base`. Without root rights:
`apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb FOLDER`, then
`--wordnet FOLDER/usr/share/wordnet`.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.backends.compact.entailment.word_features import idf
from pipeline.backends.compact.text.words import stems_of

FOLDER = Path("/usr/share/wordnet")
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
SENSES = 2
"""Only the most frequent senses of a word are looked at."""
COMMON = 1
"""How often a co-hyponym must be tagged in WordNet's texts, or else be known to idf.txt: rarer ones
are no error that people make."""


@dataclass(slots=True)
class WordNet:
    antonyms: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """By lemma and part of speech (n, v, a, r)."""
    siblings: dict[str, list[str]] = field(default_factory=dict)
    """Of a noun: other kinds of the same."""
    irregular: dict[str, list[str]] = field(default_factory=dict)
    """The irregular forms of a verb."""
    plurals: dict[str, str] = field(default_factory=dict)

    def inflected(self, lemma: str, tag: str) -> str | None:
        """The form of a lemma that a Penn tag asks for; None where it is not certain."""
        if tag in {"NN", "JJ", "RB", "VB", "VBP"}:
            return lemma
        if tag == "NNS":
            return self.plurals.get(lemma) or _with_s(lemma)
        if tag == "VBZ":
            return _with_s(lemma)
        if tag == "VBG":
            doubled = [form for form in self.irregular.get(lemma, ()) if form.endswith("ing")]
            if doubled:
                return doubled[0]
            return (lemma[:-1] if lemma.endswith("e") else lemma) + "ing"
        if tag in {"VBD", "VBN"}:
            forms = [form for form in self.irregular.get(lemma, ()) if not form.endswith("ing")]
            if forms:
                # "began" and "begun": the file does not say which is which.
                return forms[0] if len(set(forms)) == 1 else _participle(forms, tag)
            if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
                return lemma[:-1] + "ied"
            return lemma + ("d" if lemma.endswith("e") else "ed")
        return None


def _participle(forms: list[str], tag: str) -> str | None:
    done = [form for form in forms if form.endswith(("en", "wn", "ne"))]
    if len(done) != 1 or len(forms) != 2:
        return None
    return done[0] if tag == "VBN" else next(form for form in forms if form != done[0])


def _with_s(lemma: str) -> str:
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")


def wordnet_of(folder: Path = FOLDER) -> WordNet:
    """Read the files; raises `FileNotFoundError` where they are not there."""
    if not (folder / "data.noun").is_file():
        raise FileNotFoundError(
            f"{folder} has no data.noun: install Debian's wordnet-base, or name its dict folder "
            "with --wordnet (--rewrites 0 trains without)."
        )
    found = WordNet()
    counts = _counts(folder)
    for short, name in FILES.items():
        senses = {
            lemma: offsets[:SENSES] for lemma, offsets in _index(folder / f"index.{name}")
        }
        synsets: dict[str, list[str]] = {}
        parents: dict[str, list[str]] = {}
        opposite: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
        for offset, words, pointers in _data(folder / f"data.{name}"):
            synsets[offset] = words
            parents[offset] = [target for sign, target, _ in pointers if sign == "@"]
            opposite[offset] = [
                (int(ends[:2], 16), target, int(ends[2:], 16))
                for sign, target, ends in pointers
                if sign == "!"
            ]
        for lemma, offsets in senses.items():
            pairs = [
                synsets[target][theirs - 1]
                for offset in offsets
                for mine, target, theirs in opposite[offset]
                if target in synsets and synsets[offset][mine - 1].lower() == lemma
            ]
            pairs = [each for each in dict.fromkeys(pairs) if _is_plain(each)]
            if pairs:
                found.antonyms[lemma, short] = pairs
        if short == "n":
            _add_siblings(found, senses, synsets, parents, counts)
    for line in (folder / "verb.exc").read_text("utf-8").splitlines():
        form, *lemmas = line.split()
        for lemma in lemmas:
            found.irregular.setdefault(lemma, []).append(form)
    for line in (folder / "noun.exc").read_text("utf-8").splitlines():
        form, *lemmas = line.split()
        found.plurals.setdefault(lemmas[0], form)
    return found


def _add_siblings(
    found: WordNet, senses: dict[str, list[str]], synsets: dict[str, list[str]],
    parents: dict[str, list[str]], counts: dict[str, int],
) -> None:  # fmt: skip
    children: dict[str, list[str]] = defaultdict(list)
    for offset, theirs in parents.items():
        for parent in theirs:
            children[parent].append(offset)
    for lemma, offsets in senses.items():
        if not _is_plain(lemma) or not offsets:
            continue
        own = {word for offset in offsets for word in synsets[offset]}
        others = [
            synsets[child][0]
            for parent in parents[offsets[0]][:1]
            if len(children[parent]) < 60
            for child in children[parent]
            if child != offsets[0]
        ]
        others = [w for w in others if _is_plain(w) and w not in own and _is_common(w, counts)]
        if others:
            found.siblings[lemma] = sorted(set(others))


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower() and len(word) > 2


def _is_common(word: str, counts: dict[str, int]) -> bool:
    return counts.get(word, 0) >= COMMON or any(idf(stem) < idf("") for stem in stems_of(word))


def _counts(folder: Path) -> dict[str, int]:
    """How often each noun is tagged with its first sense."""
    found: dict[str, int] = {}
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        key, sense, count = line.split()
        lemma, _, rest = key.partition("%")
        if rest.startswith("1") and sense == "1":
            found[lemma] = max(found.get(lemma, 0), int(count))
    return found


def _index(path: Path) -> Iterator[tuple[str, list[str]]]:
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], fields[-int(fields[2]) :]


def _data(path: Path) -> Iterator[tuple[str, list[str], list[tuple[str, str, str]]]]:
    """(offset, words, (sign, offset of its target in this file, which words)) of each synset."""
    own = {"noun": "n", "verb": "v", "adj": "as", "adv": "r"}[path.suffix[1:]]
    for line in path.read_text("utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words = [fields[4 + 2 * i].partition("(")[0] for i in range(count)]
        at = 4 + 2 * count
        pointers = [
            (fields[i], fields[i + 1], fields[i + 3])
            for i in range(at + 1, at + 1 + 4 * int(fields[at]), 4)
            if fields[i + 2] in own
        ]
        yield fields[0], words, pointers
