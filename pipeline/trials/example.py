"""The passage that a newcomer may try at once: the first of the demo data.

It is searched for in the demo's corpus where that is installed; elsewhere the demo's documents,
which come with rarrweb, go with it as sources.
"""

from dataclasses import asdict
from functools import cache
from typing import Any

from pipeline.demo_data import CORPUS, PASSAGES, demo_documents
from pipeline.importing.passages import read_passages
from pipeline.importing.rows import PassageRow
from pipeline.models import Corpus
from rarrweb.accounts.models import User


@cache
def example_passage() -> PassageRow:
    row = next(iter(read_passages(PASSAGES, format="jsonl")))
    if not isinstance(row, PassageRow):
        raise TypeError(f"The demo's first passage cannot be read: {row}")
    return row


def example_corpus(user: User) -> Corpus | None:
    """The demo's corpus where the person sees it and it can be searched."""
    ready = Corpus.objects.visible_to(user).current().filter(state=Corpus.State.READY)
    return ready.filter(name=CORPUS).first()


def example_sources() -> list[dict[str, Any]]:
    return [asdict(document) for document in demo_documents()]
