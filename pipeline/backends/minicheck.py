"""Entailment by MiniCheck models (Tang, Laban and Durrett 2024), in their format.

The best chunk of the evidence counts. Chunk and sentence are joined by the model's end mark, after
"predict: " for Flan-T5. Classifiers have "supported" as second label; Flan-T5 compares the first
token of "1" with that of "0".
"""

import re
from collections.abc import Sequence
from functools import cached_property

from pipeline.backends.transformers_models import MOST_TOKENS, Count, LocalModel
from pipeline.rarr.errors import BadConfig
from pipeline.rarr.types import EntailmentScore
from pipeline.text.sentences import split_sentences
from pipeline.text.windows import windows

INSTRUCTION = "predict: "
"""The prefix that Flan-T5 was trained with."""
CHUNK_WORDS, CHUNK_TOKENS = 500, 400
"""A chunk's size: words for Flan-T5, tokens for classifiers."""
NO_SUPPORT, SUPPORT = 0, 1
"""The two labels of the classifiers, and Flan-T5's words for them."""


class MiniCheckEntailment:
    """NLI(e, s) by a MiniCheck model, without contradiction; raises `BadConfig`."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = _Checker(name, device=device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[EntailmentScore]:
        """Return probabilities, 0.0 to 1.0, for each (premise, hypothesis)."""
        if not pairs:
            return []
        _ = self._answers  # refuse a model of another form before its weights load
        chunks = {premise: self._chunks(premise) for premise in dict.fromkeys(p for p, _ in pairs)}
        rows = [(chunk, claim) for premise, claim in pairs for chunk in chunks[premise]]
        # A long chunk is split into windows; the published program cuts off the sentence.
        windows_of = iter(self._model.read_in_windows(rows, self._shares, around=self._around))
        return [
            EntailmentScore(entailed=max(max(next(windows_of)) for _ in chunks[premise]))
            for premise, _ in pairs
        ]

    def _chunks(self, text: str) -> list[str]:
        if self._model.is_classifier:
            return chunks(text, size=CHUNK_TOKENS, count=self._model.count)
        return chunks(text, size=CHUNK_WORDS, count=count_words)

    @cached_property
    def _before(self) -> str:
        return "" if self._model.is_classifier else INSTRUCTION

    @cached_property
    def _between(self) -> str:
        tokenizer = self._model.tokenizer
        mark = tokenizer.eos_token or tokenizer.sep_token
        if not mark:
            raise BadConfig(
                f"The tokenizer of {self.name!r} has no token for the end of a text: it is not "
                "one of MiniCheck's."
            )
        return str(mark)

    @property
    def _around(self) -> int:
        marks: int = self._model.tokenizer.num_special_tokens_to_add(False)
        return self._model.count([self._before])[0] + 1 + marks

    @cached_property
    def _answers(self) -> tuple[int, int]:
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
                f'The model {self.name!r} has no words for the answers "1" and "0": it is not '
                "one of MiniCheck's."
            )
        return zero, one

    def _shares(self, rows: Sequence[tuple[str, str]]) -> list[float]:
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
        against, supported = (logits[:, index].float() for index in self._answers)
        shares: list[float] = (supported - against).sigmoid().tolist()
        return shares


class _Checker(LocalModel):
    """Relative positions: MiniCheck reads beyond the tokenizer's limit."""

    @cached_property
    def limit(self) -> int:
        config = self.config
        is_relative = getattr(config, "relative_attention_num_buckets", None) or getattr(
            config, "relative_attention", False
        )
        return MOST_TOKENS if is_relative else super().limit


def chunks(text: str, *, size: int, count: Count) -> list[str]:
    """Split a text into chunks of whole sentences, each of at most `size` or one sentence.

    A blank text gives [""].

    >>> chunks("One two. Three four.\\nFive six.", size=4, count=count_words)
    ['One two. Three four.', 'Five six.']
    """
    lines = [[span.of(line) for span in split_sentences(line)] for line in text.split("\n")]
    parts = [part for line in lines for part in ("\n", *line)][1:]
    joined = [" ".join(parts[first:last]) for first, last in windows(count(parts), room=size)]
    return [chunk for each in joined if (chunk := re.sub(" ?\n ?", "\n", each).strip())] or [""]


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]
