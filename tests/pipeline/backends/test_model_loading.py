"""Observers are notified of each model once, when it loads at its first use."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from pipeline.backends import model_loading
from pipeline.backends.compact.reader import model
from pipeline.backends.compact.text import parsing
from pipeline.backends.devices import chosen_device
from pipeline.backends.model_loading import loading, observe_loading, timed_loading
from pipeline.backends.sentences import SpacySplitter
from pipeline.backends.transformers_models import LocalModel
from tests.support.tiny_models import make_classifier


def test_auto_is_the_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_available, kind in ((False, "cpu"), (True, "cuda")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda value=is_available: value)
        assert chosen_device("auto") == torch.device(kind)


def load_reader(folder: Path) -> Callable[[], object]:
    model.configure(threads=1, device="cpu")
    return model.shipped


def load_parser(folder: Path) -> Callable[[], object]:
    parsing.configure("")
    texts = iter(["The Wenna is long.", "The Ribble is short."])
    return lambda: parsing.parsed(next(texts))


def load_splitter(folder: Path) -> Callable[[], object]:
    splitter = SpacySplitter(parsing.PACKAGED)
    return lambda: splitter("The Wenna is long.")


def load_local_model(folder: Path) -> Callable[[], object]:
    local = LocalModel(make_classifier(folder), device="cpu")
    return lambda: local.model


@pytest.mark.parametrize("make", [load_reader, load_parser, load_splitter, load_local_model])
def test_loading_is_reported(make: Callable[[Path], Callable[[], object]], tmp_path: Path) -> None:
    use, observed = make(tmp_path), list[bool]()
    with observe_loading(observed.append):
        use()
        assert observed == [True, False]
        use()
        assert observed == [True, False]


def test_a_model_that_cannot_be_loaded_no_longer_loads_and_a_later_one_is_not_observed() -> None:
    observed: list[bool] = []
    with observe_loading(observed.append), pytest.raises(OSError, match="gone"), loading():
        raise OSError("gone")
    with loading():
        pass
    assert observed == [True, False]


def test_nested_loads_are_timed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    clock = SimpleNamespace(perf_counter=lambda: now)
    monkeypatch.setattr(model_loading, "time", clock)
    with timed_loading() as spent:
        with loading():
            with loading():
                now += 20
            now += 10
        now += 10
    assert spent.seconds == 30
