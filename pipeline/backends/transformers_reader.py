"""Short answers read out of a text by any extractive model of the `transformers` library."""

from collections.abc import Sequence

from pipeline.backends.transformers_models import LocalModel

LONGEST = 15
"""Tokens of an answer, as in the library's own pipeline."""


class _Reader(LocalModel):
    deed, auto_class = "find answers in a text", "AutoModelForQuestionAnswering"


class TransformersReader:
    """A model trained on SQuAD 2 or the like, by name or folder; loaded on the first use."""

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = _Reader(name, device=device)

    def answer(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """The words of each text that answer its question, in order; "" where none do.

        `pairs` are (question, text); each different pair is read once, and a text that is longer
        than the model reads is cut. Raises `BadConfig` where the model cannot be loaded.
        """
        return self._model.read_in_batches(pairs, self._read)

    def _read(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        model = self._model
        rows = model.tokenizer(
            [question for question, _ in pairs],
            [text for _, text in pairs],
            padding=True,
            truncation="only_second",
            max_length=model.limit,
            return_tensors="pt",
        )
        found = model.model(**rows.to(model.device))
        starts, ends = found.start_logits.float().tolist(), found.end_logits.float().tolist()
        marks = rows["input_ids"].tolist()
        answers = []
        for row, (_, text) in enumerate(pairs):
            of_text = [at for at, part in enumerate(rows.sequence_ids(row)) if part == 1]
            span = _best_span(starts[row], ends[row], of_text)
            # Of a model that can say that there is no answer, its first mark says so.
            cls = marks[row].index(model.tokenizer.cls_token_id)
            nothing = starts[row][cls] + ends[row][cls]
            if span is None or nothing > starts[row][span[0]] + ends[row][span[1]]:
                answers.append("")
                continue
            first, last = (rows.token_to_word(row, at) for at in span)
            begin = rows.word_to_chars(row, first, sequence_index=1).start
            end = rows.word_to_chars(row, last, sequence_index=1).end
            answers.append(text[begin:end].strip())
        return answers


def _best_span(
    starts: Sequence[float], ends: Sequence[float], places: Sequence[int]
) -> tuple[int, int] | None:
    """The first and last of `places` with the greatest sum; None without any."""
    spans = ((first, last) for n, first in enumerate(places) for last in places[n : n + LONGEST])
    return max(spans, key=lambda span: starts[span[0]] + ends[span[1]], default=None)
