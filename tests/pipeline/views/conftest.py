"""A browser of the pages, and what a person sends to start a run."""

import re
from typing import Any

import pytest
from django.test import Client

from pipeline.forms.runs import HYPER_PARAMETERS
from pipeline.models import Corpus
from pipeline.rarr.configuration import RarrConfig
from rarrweb.accounts.models import User
from tests.support.factories import make_corpus, make_dataset, make_passage


class PageClient(Client):
    """Joins the wrapped lines of pages, as browsers do."""

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        if response.get("Content-Type", "").startswith("text/html"):
            response.content = re.sub(rb"\n +", b" ", re.sub(rb"\n +>", b">", response.content))
        return response


@pytest.fixture
def as_researcher(researcher: User) -> Client:
    client = PageClient()
    client.force_login(researcher)
    return client


@pytest.fixture
def wanted(db: None) -> dict[str, object]:
    """The paper's values, over a dataset and a corpus that are there."""
    make_passage(make_dataset(slug="harbours"))
    make_corpus(slug="guide", state=Corpus.State.READY)
    defaults = {name: getattr(RarrConfig(), name) for name in HYPER_PARAMETERS}
    return {"dataset": "harbours", "corpus": "guide", "system": "rarr", **defaults}
