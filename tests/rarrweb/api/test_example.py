"""The program in docs/api.md works on a real server and worker."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from rarrweb.accounts.models import User
from rarrweb.accounts.tokens import make_token
from tests.support.factories import make_user
from tests.support.worker_process import StartWorker


@pytest.mark.worker
@pytest.mark.django_db(transaction=True)
def test_the_documented_program_runs(
    live_server: LiveServer, start_worker: StartWorker, tmp_path: Path
) -> None:
    text = (Path(settings.BASE_DIR) / "docs/api.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    user = make_user("a-programmer", role=User.Role.RESEARCHER)
    _, secret = make_token(user, name="docs", scope="write", days=1)
    start_worker(concurrency=1, lease_seconds=30)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "RARRWEB_SITE": live_server.url, "RARRWEB_TOKEN": secret},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert "1900. -> The Forth Bridge opened in 1890." in done.stdout
    assert "1932. -> The Sydney Harbour Bridge opened in 1932." in done.stdout
    lines = (tmp_path / "revisions.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["forth", "sydney"]
