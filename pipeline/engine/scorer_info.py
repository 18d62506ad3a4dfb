"""Which model made auto-AIS figures, and what was measured of that model, in a few words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.backends import is_judge, model_cards
from pipeline.backends.model_cards import Card, headline_figure

STAMP = "compact_weights"
"""The key of a run's versions that names the weights that it was made with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """An entailment model by the name that the settings give it."""

    name: str
    """As RARR_ENTAILMENT has it; "" where nobody knows."""
    says: str
    """What was measured of it, or why there is nothing to say."""
    card: Card | None = field(default=None, hash=False)
    """Only where there is a card of this model."""
    is_measured: bool = False
    """Whether the card's figures are of the very weights and parser that answered."""

    def to_plain(self) -> dict[str, Any]:
        """As an export's manifest holds it."""
        figure = headline_figure(self.card) if self.card and self.is_measured else None
        return {
            "model": self.name,
            "measured": self.says,
            "card": self.card and {
                "version": self.card["facts"]["version"],
                "weights_sha256": self.card["weights"]["sha256"],
            },
            "figure": figure and {
                "dataset": figure["dataset"],
                "n": figure["n"],
                "groups": figure["groups"],
                "auc": figure["auc"]["value"],
                "low": figure["auc"]["low"],
                "high": figure["auc"]["high"],
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
    card = model_cards.shipped_card()
    used = model_cards.shipped_stamp() if versions is None else versions.get(STAMP, "")
    if used == model_cards.card_stamp():
        return Scorer(name=name, says=headline(card), card=card, is_measured=True)
    says = "with other weights, or another parser, than those of the model card"
    return Scorer(name=name, says=says, card=card)


def run_scorer(config: Mapping[str, Any], versions: Mapping[str, str]) -> Scorer | None:
    """Who scored a run, by what it froze; None for a run that does not say."""
    name = str(config.get("entailment", ""))
    return scorer(name, versions) if name else None


def headline(card: Card) -> str:
    """The card's first figure in words: AUC 0.81 [0.78, 0.84] on AttributionBench dev (n 1,197)."""
    figure = headline_figure(card)
    groups = f" in {figure['groups']:,} groups" if figure["groups"] else ""
    auc = model_cards.in_digits(figure["auc"])
    return f"AUC {auc} on {figure['title']} (n\u00a0{figure['n']:,}{groups})"
