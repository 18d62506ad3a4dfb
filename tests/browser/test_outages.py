"""No click is lost when the server is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, expect

from annotation.judging.claims import claim_next
from annotation.models import Assignment
from tests.browser.chromium import new_context
from tests.browser.judging import ready, rows, saved, sentence, stored_operations
from tests.browser.logged_in import log_in_as
from tests.support.campaigns import make_campaign
from tests.support.factories import make_user
from tests.support.installation import free_port, wait_until_answered
from tests.support.worker_process import database_url

__all__ = ["server"]  # a fixture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OUTAGE_SECONDS = 6
"""Long enough for several tries."""


class ServerProcess:
    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            *(sys.executable, "-m", "gunicorn", "rarrweb.wsgi", "--log-level", "warning"),
            *("--worker-class", "gthread"),
            *("--bind", f"127.0.0.1:{self.port}", "--workers", "1", "--threads", "8"),
        ]
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_URL": database_url(),
            "RARR_VAR": str(settings.VAR_DIR),
        }
        self._process = subprocess.Popen(
            command, cwd=settings.BASE_DIR, env=environment, start_new_session=True
        )
        wait_until_answered(f"{self.url}/healthz", self._process)

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@pytest.fixture
def server(transactional_db: None) -> Iterator[ServerProcess]:
    started = ServerProcess()
    started.start()
    yield started
    started.kill()


@pytest.fixture
def on_task(browser: Browser, server: ServerProcess) -> Iterator[Page]:
    anna = make_user("anna")
    make_campaign(raters=(anna,))
    assignment = claim_next(anna)
    assert isinstance(assignment, Assignment)
    context = new_context(browser, base_url=server.url)
    log_in_as(context, anna, server.url)
    page = context.new_page()
    page.goto(f"/tasks/{assignment.pk}/")
    ready(page)
    yield page
    context.close()


def test_the_server_is_killed_in_the_middle_and_every_click_arrives(
    on_task: Page, server: ServerProcess
) -> None:
    sentence(on_task, 1).click()
    saved(on_task)
    server.kill()
    began = time.monotonic()
    sentence(on_task, 1).click()  # attributable, then not
    sentence(on_task, 2).click()
    sentence(on_task, 3).dblclick(delay=60)
    on_task.locator("#comment").fill("Written while the server was dead")
    on_task.locator("#comment").blur()
    expect(on_task.locator("#saved")).to_contain_text("Not saved: no connection")
    assert rows() == {0: 1}
    on_task.keyboard.press("Control+Enter")  # not submitted before it is saved
    expect(on_task.locator("#announcement")).to_contain_text("Not saved yet")
    on_task.wait_for_timeout(max(0.0, OUTAGE_SECONDS - (time.monotonic() - began)) * 1000)
    server.start()
    # By itself: nobody touches the page. The longest pause between two tries is half a minute.
    expect(on_task.locator("#saved")).to_contain_text("✓ Saved", timeout=120_000)
    assert rows() == {0: 0, 1: 1, 2: 0}
    assert Assignment.objects.get().comment == "Written while the server was dead"
    assert stored_operations(on_task) == 0
