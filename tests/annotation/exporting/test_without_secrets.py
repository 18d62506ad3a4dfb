"""No key of the installation stands in what a run and its campaign leave behind."""

import logging
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from pytest_django import Settings

from pipeline.engine.configuration import RunConfig
from pipeline.runs import execution, start
from rarrweb.accounts.models import User
from tests.pipeline.engine import test_web_research as research
from tests.support import llm_server
from tests.support.campaigns import make_campaign
from tests.support.commands import run_command
from tests.support.factories import make_dataset, make_passage, make_user
from tests.support.llm_script import answer
from tests.support.reference_answers import judge_next
from tests.support.web_server import Page, WebServer

web, search = research.web, research.search  # fixtures

MODEL_KEY, SEARCH_KEY = "canary1/of+the+model", "canary2/of+the+search"
SITE_KEY = f"canary3 of the site {'x' * 40}"
SECRET = re.compile(rb"canary[123]")
"""In any of them, however it is quoted."""
ENGINE = """
url = "{base}/search?q={{query}}&key={{key}}"
results = "results"
address = "url"
key_env = "TEST_ENGINE_KEY"
"""
OF_RUN = ("", "revisions/", "configuration/", "status/", "download/", "download/?manifest=")
OF_CAMPAIGN = ("", "items/", "results/", "settings/", "export/", "work/")


def reply_to(prompt: str) -> Any:
    """A good model, but of one passage it repeats the key, and of one it asks something else."""
    if "Denby Hall" in prompt:
        return llm_server.error(400, f"This is not for the key {MODEL_KEY}.")
    if "Ribble Hall" in prompt and prompt.rstrip().endswith("Questions:"):
        return "1. When did Ribble Hall open?"
    return answer(prompt)


def test_no_key_is_in_what_is_left(
    db: None,
    web: WebServer,
    search: WebServer,
    client: Client,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.SECRET_KEY, settings.RARR_LLM_API_KEY = SITE_KEY, MODEL_KEY
    monkeypatch.setenv("TEST_ENGINE_KEY", SEARCH_KEY)
    (tmp_path / "mine.toml").write_text(ENGINE.format(base=search.url))
    settings.RARR_SEARCH, settings.RARR_SEARCH_ENGINES = "json:mine", str(tmp_path)
    caplog.set_level(logging.INFO, "rarrweb.requests")
    dataset, rater = make_dataset(), make_user()
    for hall in ("Marlow", "Denby", "Ribble"):
        make_passage(dataset, text=f"{hall} Hall opened in 1902.")
    with llm_server.installed(reply_to, settings) as model:
        model.key = MODEL_KEY
        run = start.start_run(
            dataset=dataset, corpus=None, config=RunConfig.from_settings(), created_by=None
        )
        for revision in run.revisions.order_by("passage"):
            if "Ribble" in revision.original_text:
                search.pages[f"{search.url}/search"] = Page(body=SEARCH_KEY.encode(), status=403)
            execution.Revising().run(revision.pk)
    assert all(SECRET.search(query.encode()) for query in search.queries)
    rows = list(run.revisions.order_by("passage"))
    assert "not for the key …" in rows[1].failure_message
    assert "refused the search (status 403)" in rows[2].failure_message
    campaign = make_campaign(run=run, raters=(rater,))
    judge_next(rater, campaign, [1])

    left: dict[str, bytes] = {}
    for model_class in apps.get_models(include_auto_created=True):
        table = repr(list(model_class._base_manager.values()))
        left[model_class._meta.db_table] = table.encode()
    package = tmp_path / "package.zip"
    of_campaign = ("--campaign", campaign.slug, "--format", "package", "--files", "csv,rarr")
    for given in (
        ("--run", run.pk, "--format", "rarr", "--out", tmp_path / "run.jsonl"),
        (*of_campaign, "--out", package),
    ):
        done = run_command("export", *given)
        assert done[0] == 0, done
    left |= {path.name: path.read_bytes() for path in tmp_path.glob("run.jsonl*")}
    with zipfile.ZipFile(package) as opened:
        left |= {name: opened.read(name) for name in opened.namelist()}
    client.force_login(make_user(role=User.Role.ADMINISTRATOR))
    for address in (
        *(f"/runs/{run.pk}/{page}" for page in OF_RUN),
        *(f"/revisions/{row.pk}/" for row in rows),
        *(f"/campaigns/{campaign.slug}/{page}" for page in OF_CAMPAIGN),
        f"/api/runs/{run.pk}/",
        f"/api/runs/{run.pk}/revisions/",
        "/runs/new/",
    ):
        response = client.get(address)
        assert response.status_code == 200, address
        left[address] = response.getvalue()
    left["the log"] = caplog.text.encode()
    assert b"1904" in left["pipeline_revision"]
    assert b"1904" in left["run.jsonl"]
    assert b"GET pipeline:run 200" in left["the log"]
    assert {name: SECRET.findall(each) for name, each in left.items() if SECRET.search(each)} == {}
