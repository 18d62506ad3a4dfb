"""Which model made auto-AIS figures, and what was measured of that model, in a few words."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.backends import is_judge, model_cards
from pipeline.backends.model_cards import ModelCard

logger = logging.getLogger(__name__)

STAMP = "compact_weights"
"""The key of a run's versions that holds the stamp of the weights that it was made with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """An entailment model by the name that the settings give it."""

    name: str
    """As RARR_ENTAILMENT has it; "" where nobody knows."""
    says: str
    """What was measured of it, or why there is nothing to say."""
    card: ModelCard | None = None
    """Only where there is a card of this model."""
    is_measured: bool = False
    """Whether the card's figures are of the very weights that answered."""

    def to_plain(self) -> dict[str, Any]:
        """As an export's manifest holds it."""
        figure = self.card.figure if self.card and self.is_measured else None
        return {
            "model": self.name,
            "measured": self.says,
            "card": self.card and {
                "version": self.card.facts.version,
                "weights_sha256": self.card.weights.sha256,
            },
            "figure": figure and {
                "dataset": figure.dataset,
                "n": figure.n,
                "groups": figure.groups,
                "auc": figure.auc.value,
                "low": figure.auc.low,
                "high": figure.auc.high,
            },
        }  # fmt: skip


def scorer(name: str, versions: Mapping[str, str] | None = None) -> Scorer:
    """What is known of an entailment model by its setting's name.

    `versions` are those that a run froze; without them, what would answer now. Loads no model.
    """
    if is_judge(name):
        says = "a language model as judge; no figures of ours: attribution --compare measures it"
        return Scorer(name=name, says=says)
    if name != "compact":
        return Scorer(name=name, says="no figures of ours: see the model’s own card")
    card = _card()
    if card is None:
        return Scorer(name=name, says="no model card, so nothing measured")
    used = model_cards.shipped_stamp() if versions is None else versions.get(STAMP, "")
    if model_cards.is_of(card, used):
        return Scorer(name=name, says=headline(card), card=card, is_measured=True)
    if versions is None:
        says = "the weights, the parser or the fitted constants are not those of the model card"
    elif not used:
        says = "made before it had the weights of the model card, so its figures are not these"
    else:
        says = (
            f"made by an earlier version ({_shortened(used)}); its figures are not the model card’s"
        )
    return Scorer(name=name, says=says, card=card)


def run_scorer(config: Mapping[str, Any], versions: Mapping[str, str]) -> Scorer | None:
    """Who scored a run, by what it froze; None for a run that does not say."""
    name = str(config.get("entailment", ""))
    return scorer(name, versions) if name else None


def headline(card: ModelCard) -> str:
    """The card's first figure in words: AUC 0.81 [0.78, 0.84] on AttributionBench dev (n 1,197)."""
    figure = card.figure
    groups = f" in {figure.groups:,} groups" if figure.groups else ""
    return (
        f"AUC {model_cards.in_digits(figure.auc)} on {figure.title} (n\u00a0{figure.n:,}{groups})"
    )


def _card() -> ModelCard | None:
    try:
        return model_cards.shipped_card()
    except model_cards.UnreadableCard as error:
        # A page with figures is worth more than its footnote; `doctor` tells what is wrong.
        logger.warning("%s", error)
        return None


def _shortened(stamp: str) -> str:
    """A stamp with the first digits of its checksums."""
    return re.sub(r"\b([0-9a-f]{8})[0-9a-f]{8,}\b", r"\1…", stamp)
