"""Relevance by a cross-encoder of `transformers`."""

from collections.abc import Sequence
from functools import cached_property

from pipeline.backends.transformers_models import LocalModel
from pipeline.rarr.errors import BadConfig

IRRELEVANT = ("not", "non", "irrelevant", "no", "false", "negative", "0")
RELEVANT = ("relevant", "yes", "true", "positive", "1")
"""Beginnings of label names."""


class TransformersRelevance:
    """S_relevance(q, e), 0.0 to 1.0, by a model's name or folder.

    The sigmoid of one logit, or the share of the relevant one of two (the second, unless names
    differ). A long snippet's best window counts. Raises `BadConfig`.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = LocalModel(name, device=device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        if not pairs:
            return []
        _ = self._labels  # refuse other models before their weights load
        around = self._model.tokenizer.num_special_tokens_to_add(True)
        rows = [(text, query) for query, text in pairs]
        shares = self._model.read_in_windows(rows, self._shares, around=around)
        return [max(windows) for windows in shares]

    def _shares(self, rows: Sequence[tuple[str, str]]) -> list[float]:
        import torch

        wanted, against = self._labels
        logits = torch.tensor(self._model.classify([(query, text) for text, query in rows]))
        odds = logits[:, wanted] if against is None else logits[:, wanted] - logits[:, against]
        # In double precision the most relevant snippets still differ and stay in order.
        shares: list[float] = odds.double().sigmoid().tolist()
        return shares

    @cached_property
    def _labels(self) -> tuple[int, int | None]:
        names = self._model.config.id2label
        if not self._model.is_classifier or len(names) not in (1, 2):
            raise BadConfig(
                f"The model {self.name!r} is not a ranker, which has one label or two for a "
                "query and a text. Choose a cross-encoder."
            )
        if len(names) == 1:
            return 0, None
        first, second = (str(names[index]).lower() for index in (0, 1))
        is_turned = (second.startswith(IRRELEVANT) and not first.startswith(IRRELEVANT)) or (
            first.startswith(RELEVANT) and not second.startswith(RELEVANT)
        )
        return (0, 1) if is_turned else (1, 0)
