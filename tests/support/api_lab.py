"""Objects for every URL of the API."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator

from pipeline.models import Corpus, Document, Run, Upload
from tests.support.campaigns import judge_everything, make_assignment
from tests.support.factories import make_corpus, make_dataset, make_passage, make_user
from tests.support.revision_rows import make_viaduct

METHODS = ("get", "post", "put", "patch", "delete")


@cache
def operations() -> list[tuple[str, str]]:
    """Return method and path of every operation."""
    paths = read_schema()["paths"].items()
    return [(method, path) for path, item in paths for method in METHODS if method in item]


@cache
def read_schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


def make_lab() -> dict[str, dict[str, str]]:
    """Return first part of a path → path parameter → value."""
    dataset = make_passage(make_dataset(slug="rivers", name="Rivers")).dataset
    corpus = make_corpus(slug="atlas", name="Atlas", state=Corpus.State.READY)
    Document.objects.create(corpus=corpus, external_id="d", text="Text.", content_hash="1")
    revision = make_viaduct()
    Run.objects.filter(pk=revision.run_id).update(state=Run.State.FINISHED)
    upload = Upload.objects.create(
        kind="passages", dataset=dataset, file_name="p.csv", stored_name="p.csv", state="checked"
    )
    judged = make_assignment(make_user("rita"), passages=2)
    judge_everything(judged)
    run = str(revision.run_id)
    return {
        "datasets": {"slug": dataset.slug},
        "corpora": {"slug": corpus.slug},
        "runs": {"id": run, "run_id": run},
        "revisions": {"id": str(revision.pk)},
        "uploads": {"id": str(upload.pk)},
        "campaigns": {"slug": judged.item.campaign.slug, "format_name": "csv"},
    }


def body_of(path: str, lab: dict[str, dict[str, str]]) -> dict[str, Any] | None:
    """Return a request body with names of the lab's rows."""
    return {
        "/api/runs/": {"dataset": lab["datasets"]["slug"], "corpus": lab["corpora"]["slug"]},
        "/api/campaigns/": {"runs": [int(lab["runs"]["id"])], "sides": "after"},
    }.get(path)


def fill(path: str, lab: dict[str, dict[str, str]]) -> str:
    values = lab[path.split("/")[2]]
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value)
    return path
