"""RARR's hyper-parameters: the paper's values and valid ones."""

from dataclasses import asdict

import pytest

from pipeline.rarr.configuration import RarrConfig, with_settings
from pipeline.rarr.errors import BadConfig


def test_the_defaults_are_the_papers() -> None:
    assert asdict(RarrConfig()) == {
        "query_samples": 3,  # appendix D
        "query_temperature": 0.7,  # appendix D
        "gate_temperature": 0.0,  # the authors' program; appendix D has 0.7
        "edit_temperature": 0.0,
        "documents_per_query": 5,  # K, section 3.1
        "window_sentences": 4,  # section 3.1
        "window_stride": 1,
        "evidence_per_query": 1,  # J, section 3.1
        "max_edit_characters": 50,  # section 3.2, footnote 3
        "max_edit_ratio": 0.5,  # section 3.2, footnote 3
        "report_size": 5,  # M, section 3.3
        "report_fill": "smallest",
    }


LIMITS = {"query_temperature", "max_edit_ratio", "max_edit_characters"}
TEMPERATURES = {"query_temperature", "gate_temperature", "edit_temperature"}


@pytest.mark.parametrize(
    "name", sorted(asdict(RarrConfig()).keys() - TEMPERATURES - {"report_fill"} | LIMITS)
)
def test_counts_are_positive_and_limits_not_negative(name: str) -> None:
    least = 0 if name in LIMITS else 1
    assert getattr(with_settings(RarrConfig(), {name: str(least)}), name) == least
    with pytest.raises(BadConfig, match=f"{name} is {least - 1}: write {least} or more."):
        with_settings(RarrConfig(), {name: str(least - 1)})


@pytest.mark.parametrize("name", sorted(TEMPERATURES | {"max_edit_ratio"}))
def test_limits_are_finite(name: str) -> None:
    for value in ("nan", "inf", "1e400", "-inf"):
        with pytest.raises(BadConfig, match=f"{name} is "):
            with_settings(RarrConfig(), {name: value})
