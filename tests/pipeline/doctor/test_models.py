"""What doctor says of the models that score, after they have scored two pairs."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django import Settings

from pipeline.doctor import models
from pipeline.doctor.findings import Finding, State
from pipeline.doctor.installation import attempt
from pipeline.rarr.ports import Entailed
from tests.support.tiny_models import make_classifier

PROBED = [("RARR_ENTAILMENT", "entailment"), ("RARR_RELEVANCE", "relevance")]
"""Settings of models that doctor lets score two pairs, and the name of its check."""


def check(kind: str) -> Finding:
    return attempt(getattr(models, f"check_{kind}"))


@pytest.mark.parametrize(("setting", "kind"), PROBED)
def test_the_shipped_models_tell_a_sound_pair_from_an_absurd_one(setting: str, kind: str) -> None:
    finding = check(kind)
    assert finding.state is State.FINE
    assert finding.says.startswith("compact gives ")


@pytest.mark.parametrize(("setting", "kind"), PROBED)
def test_a_model_that_has_its_labels_in_the_wrong_order_is_a_fault(
    settings: Settings, tmp_path: Path, setting: str, kind: str
) -> None:
    """Of two orders of the same labels one scores the absurd pair higher."""
    orders = [["not_entailment", "entailment"], ["entailment", "not_entailment"]]
    findings = []
    for place, labels in enumerate(orders):
        # No word of a try is among the model's: what it tells apart is their number.
        name = make_classifier(tmp_path / str(place), labels)
        setattr(settings, setting, f"hf:{name}")
        findings.append(check(kind))
    wrong = [finding for finding in findings if finding.state is State.WRONG]
    assert len(wrong) == 1
    assert "the wrong way round" in wrong[0].says
    assert setting in wrong[0].says + wrong[0].fix
    for finding in findings:
        assert len(re.findall(r"\b[01]\.\d\d\d\b", finding.says)) == 2, "both scores are said"


def test_a_model_that_finds_everything_supported_is_worth_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = [Entailed(entailed=0.99), Entailed(entailed=0.9)]
    model = SimpleNamespace(score=lambda pairs: scores[: len(pairs)])
    monkeypatch.setattr("pipeline.engine.loading.load_entailment", lambda name: model)
    finding = check("entailment")
    assert finding.state is State.NOTE
    assert "0.5" in finding.says


@pytest.mark.parametrize(("setting", "kind"), PROBED)
def test_a_model_whose_weights_are_missing_is_a_fault(
    settings: Settings, tmp_path: Path, setting: str, kind: str
) -> None:
    name = make_classifier(tmp_path, ["not_entailment", "entailment"])
    (tmp_path / "model.safetensors").unlink()
    setattr(settings, setting, f"hf:{name}")
    finding = check(kind)
    assert finding.state is State.WRONG
    assert "cannot be loaded" in finding.says
