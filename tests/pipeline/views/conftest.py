"""What a person sends to start a run."""

import pytest

from pipeline.forms.run_settings import HYPER_PARAMETERS
from pipeline.models import Corpus
from pipeline.rarr.configuration import RarrConfig
from tests.support.factories import make_corpus, make_dataset, make_passage


@pytest.fixture
def wanted(db: None) -> dict[str, object]:
    """The paper's values, over a dataset and a corpus that are there."""
    make_passage(make_dataset(slug="harbours"))
    make_corpus(slug="guide", state=Corpus.State.READY)
    defaults = {name: getattr(RarrConfig(), name) for name in HYPER_PARAMETERS}
    return {"dataset": "harbours", "corpus": "guide", "system": "rarr", **defaults}
