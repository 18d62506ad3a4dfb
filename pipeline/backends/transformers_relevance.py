"""Relevance by any cross-encoder of the `transformers` library, by name or local path."""

from collections.abc import Sequence
from functools import cached_property

from pipeline.backends.transformers_loading import LocalModel
from pipeline.rarr.types import BadConfig

IRRELEVANT = ("not", "non", "irrelevant", "no", "false", "0")


class TransformersRelevance:
    """S_relevance(q, e) as a probability, 0.0 to 1.0; loaded on the first use.

    Of a model with one logit its sigmoid; of one with two, the share of the label that says
    relevant (the second, unless the labels' names say otherwise). A snippet that is longer than
    the model can read is read in windows, and the best one counts. Raises `BadConfig` for a
    model that cannot be loaded, or that has other labels.
    """

    def __init__(self, name: str, *, device: str = "auto") -> None:
        self.name = name
        self._model = LocalModel(name, device=device)

    def score(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float]:
        if not pairs:
            return []
        labels = self._labels
        around = self._model.tokenizer.num_special_tokens_to_add(True)
        distinct = list(dict.fromkeys(pairs))
        parts = self._model.windowed([(text, query) for query, text in distinct], around=around)
        rows = [
            (query, window)
            for (query, _), some in zip(distinct, parts, strict=True)
            for window in some
        ]
        shares = iter(self._shares(rows, labels))
        known = {
            pair: max(next(shares) for _ in some)
            for pair, some in zip(distinct, parts, strict=True)
        }
        return [known[pair] for pair in pairs]

    def describe(self) -> str:
        """What the model is, in a line, from its configuration and tokenizer alone.

        Raises `BadConfig` where it cannot serve, but for weights that are missing or too large.
        """
        _, against = self._labels
        count = "one label" if against is None else "two labels"
        return f"a ranker with {count}, reads {self._model.limit:,} tokens at once"

    def _shares(
        self, rows: Sequence[tuple[str, str]], labels: tuple[int, int | None]
    ) -> list[float]:
        import torch

        logits = torch.tensor(self._model.classify(rows))
        wanted, against = labels
        odds = logits[:, wanted] if against is None else logits[:, wanted] - logits[:, against]
        # In double precision the surest snippets still differ, so that they keep their order.
        shares: list[float] = odds.double().sigmoid().tolist()
        return shares

    @cached_property
    def _labels(self) -> tuple[int, int | None]:
        """Which label says relevant; and which not, None where there is but one."""
        names = self._model.config.id2label
        if not self._model.is_classifier or len(names) not in (1, 2):
            raise BadConfig(
                f"The model {self.name!r} is no ranker: it should classify a query and a text "
                "with one label, or with two. Choose a cross-encoder."
            )
        if len(names) == 1:
            return 0, None
        first = str(names[0]).lower()
        second = str(names[1]).lower()
        is_turned = second.startswith(IRRELEVANT) and not first.startswith(IRRELEVANT)
        return (0, 1) if is_turned else (1, 0)
