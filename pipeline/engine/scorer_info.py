"""The models behind automatic figures, and their measured quality."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.backends import is_judge, model_cards
from pipeline.backends.model_cards import Card, headline_figure

STAMP = "compact_weights"
"""The key of the compact weights in a run's versions."""
NLTK = "nltk"
"""The key of NLTK in a run's versions: there only if strict figures use its sentences."""
INSTALL_NLTK = (
    "Strict figures use our sentences. For the reference’s, run pip install nltk and "
    "python -m nltk.downloader punkt_tab, and score again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """An entailment model by its setting's name."""

    name: str
    """As in RARR_ENTAILMENT; "" if unknown."""
    description: str
    """Its measured quality, or why there is none."""
    card: Card | None = field(default=None, hash=False)
    """None without a model card."""
    is_measured: bool = False
    """The card's figures are of the weights and parser that were used."""

    def to_plain(self) -> dict[str, Any]:
        card = figure = None
        if self.card:
            card = {
                "version": self.card["facts"]["version"],
                "weights_sha256": self.card["weights"]["sha256"],
            }
        if self.card and self.is_measured:
            measured = headline_figure(self.card)
            auc = measured["auc"]
            figure = {name: measured[name] for name in ("dataset", "n", "groups")}
            figure |= {"auc": auc["value"], "low": auc["low"], "high": auc["high"]}
        return {"model": self.name, "measured": self.description, "card": card, "figure": figure}


def scorer(name: str, versions: Mapping[str, str] | None = None) -> Scorer:
    """Describe an entailment model by its name; loads no model.

    `versions` are a run's, by default those of this installation.
    """
    if is_judge(name):
        description = (
            "a language model as judge; no figures of ours: attribution --compare measures it"
        )
        return Scorer(name=name, description=description)
    if name != "compact":
        return Scorer(name=name, description="no figures of ours: see the model’s own card")
    card = model_cards.shipped_card()
    used = model_cards.shipped_stamp() if versions is None else versions.get(STAMP, "")
    if used == model_cards.card_stamp():
        return Scorer(name=name, description=headline(card), card=card, is_measured=True)
    description = "with other weights, or another parser, than those of the model card"
    return Scorer(name=name, description=description, card=card)


def run_scorer(config: Mapping[str, Any], versions: Mapping[str, str]) -> Scorer | None:
    """Describe a run's scorer; None if its configuration names none."""
    name = str(config.get("entailment", ""))
    return scorer(name, versions) if name else None


def strict_name(*, has_nltk: bool) -> str:
    return "strict" if has_nltk else "strict (our sentences)"


def headline(card: Card) -> str:
    """Format the card's first figure: AUC 0.81 [0.78, 0.84] on AttributionBench dev (n 1,197)."""
    figure = headline_figure(card)
    groups = f" in {figure['groups']:,} groups" if figure["groups"] else ""
    auc = model_cards.in_digits(figure["auc"])
    return f"AUC {auc} on {figure['title']} (n\u00a0{figure['n']:,}{groups})"
