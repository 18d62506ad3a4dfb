"""Entailment by the MiniCheck models (Tang, Laban and Durrett 2024), in their own format.

Evidence is read in chunks of whole sentences, and the best chunk counts. A chunk and the sentence
are one text with the model's end mark between them, behind "predict: " for Flan-T5. The classifiers
(RoBERTa, DeBERTa) say "supported" by their second label. Flan-T5 says it by the first token of "1"
against the first of "0", which begins with a gap in its vocabulary.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from pipeline.backends.long_texts import Count
from pipeline.backends.transformers_models import MOST_TOKENS, LocalModel
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.ports import EntailmentScore
from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

INSTRUCTION = "predict: "
"""What Flan-T5 was trained to find before every text; the classifiers were not."""
CHUNK_WORDS, CHUNK_TOKENS = 500, 400
"""A chunk's size: words between white space for Flan-T5, tokens for the classifiers."""
NO_SUPPORT, SUPPORT = 0, 1
"""The two labels of the classifiers, and what Flan-T5 answers for each."""


class MiniCheckEntailment:
    """NLI(e, s) by a MiniCheck model from a folder or a name, loaded on the first use.

    It knows supported or not, and no contradiction. The verbs raise `BadConfig` where the model
    cannot be loaded or is none of that form.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = _Checker(name, device=device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        """Probabilities, 0.0 to 1.0, one for each (premise, hypothesis), in order."""
        if not pairs:
            return []
        _ = self._answers  # a model of another form is refused before its weights load
        chunks = {premise: self._chunks(premise) for premise in dict.fromkeys(p for p, _ in pairs)}
        rows = [(chunk, claim) for premise, claim in pairs for chunk in chunks[premise]]
        # A chunk that leaves too little room for the sentence is read in windows: the published
        # program would cut off the sentence.
        found = iter(self._model.read_in_windows(rows, self._shares, around=self._around))
        return [
            EntailmentScore(entailed=max(max(next(found)) for _ in chunks[premise]))
            for premise, _ in pairs
        ]

    @property
    def _size(self) -> int:
        return CHUNK_TOKENS if self._model.is_classifier else CHUNK_WORDS

    def _chunks(self, text: str) -> list[str]:
        count = self._model.count if self._model.is_classifier else count_words
        return chunks(text, size=self._size, count=count)

    @cached_property
    def _before(self) -> str:
        return "" if self._model.is_classifier else INSTRUCTION

    @cached_property
    def _between(self) -> str:
        tokenizer = self._model.tokenizer
        mark = tokenizer.eos_token or tokenizer.sep_token
        if not mark:
            raise BadConfig(
                f"The tokenizer of {self.name!r} has no token that ends a text: it is none of "
                "MiniCheck's."
            )
        return str(mark)

    @property
    def _around(self) -> int:
        """Tokens of a row besides the chunk and the sentence."""
        marks: int = self._model.tokenizer.num_special_tokens_to_add(False)
        return self._model.count([self._before])[0] + 1 + marks

    @cached_property
    def _answers(self) -> tuple[int, int]:
        """Where "not supported" and "supported" stand: labels, or tokens of the vocabulary."""
        if self._model.is_classifier:
            if (labels := len(self._model.config.id2label)) != 2:
                raise BadConfig(
                    f"The model {self.name!r} has {labels} label{'s' * (labels != 1)}, and "
                    f"MiniCheck's have two: write hf:{self.name} for any other NLI model."
                )
            return NO_SUPPORT, SUPPORT
        tokenizer = self._model.tokenizer
        zero, one = (
            next(iter(tokenizer(str(answer), add_special_tokens=False).input_ids), None)
            for answer in (NO_SUPPORT, SUPPORT)
        )
        if zero is None or one is None or zero == one:
            raise BadConfig(
                f'The model {self.name!r} has no words for the answers "1" and "0": it is none of '
                "MiniCheck's."
            )
        return zero, one

    def _shares(self, rows: Sequence[tuple[str, str]]) -> list[float]:
        """p(supported) of each (chunk, sentence)."""
        texts = [f"{self._before}{chunk}{self._between}{claim}" for chunk, claim in rows]
        return self._model.read_in_batches(texts, self._read_batch)

    def _read_batch(self, texts: Sequence[str]) -> list[float]:
        import torch

        model, inputs = self._model.model, self._model.encode(texts)
        if self._model.is_classifier:
            logits = model(**inputs).logits
        else:
            start = torch.full((len(texts), 1), model.config.decoder_start_token_id or 0)
            inputs = {name: inputs[name] for name in ("input_ids", "attention_mask")}
            logits = model(**inputs, decoder_input_ids=start.to(self._model.device)).logits[:, -1]
        against, supported = (logits[:, place].float() for place in self._answers)
        shares: list[float] = (supported - against).sigmoid().tolist()
        return shares


class _Checker(LocalModel):
    """DeBERTa and T5 place words relative to each other, and MiniCheck reads on where their
    tokenizers would stop.
    """

    @cached_property
    def limit(self) -> int:
        config = self.config
        is_relative = getattr(config, "relative_attention_num_buckets", None) or getattr(
            config, "relative_attention", False
        )
        return MOST_TOKENS if is_relative else super().limit


def chunks(text: str, *, size: int, count: Count) -> list[str]:
    """The text in stretches of whole sentences, none larger than `size` by `count` unless a single
    sentence is. There is no overlap, and line breaks stay; [""] for a blank text.

    >>> chunks("One two. Three four.\\nFive six.", size=4, count=count_words)
    ['One two. Three four.', 'Five six.']
    """
    lines = [[span.of(line) for span in split_sentences(line)] for line in text.split("\n")]
    parts = [part for line in lines for part in ("\n", *line)][1:]
    joined = [" ".join(parts[first:last]) for first, last in windows(count(parts), room=size)]
    return [chunk for each in joined if (chunk := re.sub(" ?\n ?", "\n", each).strip())] or [""]


def count_words(texts: Sequence[str]) -> list[int]:
    """How many words between white space each text has."""
    return [len(text.split()) for text in texts]
