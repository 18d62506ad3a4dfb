"""Rows with as few values as the database allows."""

import itertools
from typing import Any

from pipeline.models import Corpus, Dataset, Passage, Revision, Run
from rarrweb.accounts.models import User

_number = itertools.count(1)


def make_user(
    username: str = "", *, role: str = "", password: str = "a long test password"
) -> User:
    return User.objects.create_user(
        username or f"user-{next(_number)}", password=password, role=role
    )


def make_dataset(**values: Any) -> Dataset:
    number = next(_number)
    return Dataset.objects.create(
        **{"slug": f"dataset-{number}", "name": f"Dataset {number}", **values}
    )


def make_passage(dataset: Dataset | None = None, **values: Any) -> Passage:
    number = next(_number)
    return Passage.objects.create(
        **{
            "dataset": dataset or make_dataset(),
            "external_id": f"p{number}",
            "text": "The Ribble flows into the North Sea.",
            "content_hash": str(number),
            **values,
        }
    )


def make_corpus(**values: Any) -> Corpus:
    number = next(_number)
    return Corpus.objects.create(
        **{"slug": f"corpus-{number}", "name": f"Corpus {number}", **values}
    )


def make_run(**values: Any) -> Run:
    return Run.objects.create(
        **{
            "system": "rarr",
            "dataset": values.pop("dataset", None) or make_dataset(),
            "corpus": values.pop("corpus", None) or make_corpus(),
            "config": {},
            **values,
        }
    )


def make_revision(run: Run | None = None, **values: Any) -> Revision:
    run = run or make_run()
    passage = values.pop("passage", None) or make_passage(run.dataset)
    return Revision.objects.create(
        **{
            "run": run,
            "passage": passage,
            "original_text": passage.text,
            "context": passage.context,
            **values,
        }
    )
