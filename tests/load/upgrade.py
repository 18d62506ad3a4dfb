"""An upgrade without a break, under the traffic of raters, and whether a click was lost or refused.

    python -m tests.load.upgrade COMMIT --database-url postgres://… [--raters 8] [--minutes 3]

Two web servers and a worker of COMMIT run on a database that COMMIT made, behind nginx with the
shipped file, a corpus is being indexed, and simulated raters judge. Meanwhile this version takes
their place in the order of docs/upgrading.md: the worker stops, `migrate`, one web server after the
other, the worker starts. Then the database is compared with every answer that was acknowledged.
Exit status: 0 nothing lost, repeated or refused, and the corpus whole; 1 something was. Needs git
and nginx, and that this environment can run COMMIT, too.
"""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests.load.server import FAULTS, own_place
from tests.load.timings import Timings, table
from tests.support.installation import ROOT, free_port, wait_until_answered

if TYPE_CHECKING:
    from tests.load.crowd import Outcome

ITEMS, DOCUMENTS = 400, 20_000
SETTLE_SECONDS = 3
"""Until the proxy asks a server again that was away: three times what its file says."""
FILL = f"""
import django; django.setup()
from pipeline.jobs import queue
from pipeline.models import Corpus, Document
from tests.load.filling import make_campaign, make_people
researcher, raters = make_people(RATERS)
make_campaign("crowd", items={ITEMS}, per_item=3, researcher=researcher, raters=raters)
corpus = Corpus.objects.create(slug="grown", name="Grown", document_count={DOCUMENTS})
Document.objects.bulk_create(
    Document(corpus=corpus, external_id=f"d{{n}}", text=f"Text {{n}} of a hall by the river.",
             content_hash=str(n))
    for n in range({DOCUMENTS})
)
queue.queue_indexing(corpus)
"""
"""Run by COMMIT's own code, whose tables may lack columns of today."""


class Programs:
    """The processes of the installation, each of whichever version's folder it is started in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, code: Path, *command: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, cwd=code, stdout=log, stderr=subprocess.STDOUT
            )

    def start_web(self, name: str, code: Path, port: int) -> None:
        gunicorn = ("gunicorn", "-c", "python:rarrweb.gunicorn_config", "rarrweb.wsgi")
        bind = ("--bind", f"127.0.0.1:{port}", "--workers", "1")
        self.start(name, code, sys.executable, "-m", *gunicorn, *bind)
        wait_until_answered(f"http://127.0.0.1:{port}/readyz", self.running[name])

    def start_worker(self, code: Path) -> None:
        celery = ("celery", "--quiet", "-A", "rarrweb", "worker", "--concurrency", "1")
        self.start("worker", code, sys.executable, "-m", *celery, "--loglevel", "WARNING")

    def stop(self, name: str) -> None:
        process = self.running.pop(name)
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            # The others are to be stopped all the same.
            print(f"{name} did not end within 60 s and was killed", file=sys.stderr, flush=True)
            process.kill()
            process.wait()

    def faults(self) -> list[str]:
        """Lines of all logs that speak of a fault."""
        return [
            line
            for log in self.folder.glob("*.log")
            for line in log.read_text(errors="replace").splitlines()
            if any(word in line for word in FAULTS)
        ]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.load.upgrade",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("commit", metavar="COMMIT", help="the version to come from")
    parser.add_argument("--database-url", required=True, help="a PostgreSQL server")
    parser.add_argument("--raters", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=3, help="stop the raters after")
    options = parser.parse_args()
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        raise SystemExit("nginx is not here: install it on this machine.")
    with own_place(options.database_url, keep=False) as folder:
        old = _code_of(options.commit, folder / "old")
        ports = (free_port(), free_port())
        port = free_port()
        url = os.environ["PUBLIC_URL"] = f"http://127.0.0.1:{port}"
        _manage(old, "migrate", "-v", "0")
        fill = FILL.replace("RATERS", str(options.raters))
        subprocess.run([sys.executable, "-c", fill], cwd=old, check=True)
        programs = Programs(folder)
        with _stopped_at_the_end(programs):
            programs.start_worker(old)
            for number, each in enumerate(ports, start=1):
                programs.start_web(f"web-{number}", old, each)
            configuration = _proxy(folder, port, ports)
            programs.start("proxy", folder, nginx, "-p", str(folder), "-c", str(configuration))
            wait_until_answered(f"{url}/readyz", programs.running["proxy"])
            # Only now: COMMIT's programs do their work by their own models.
            django.setup()
            return _upgrade(programs, ports, url, options)


def _upgrade(
    programs: Programs, ports: tuple[int, int], url: str, options: argparse.Namespace
) -> int:
    from tests.load.crowd import judge_together, simulated

    names = [f"rater-{number:03}" for number in range(1, options.raters + 1)]
    timings, outcome = Timings(), []
    crowd = simulated(names, url=url, campaign="crowd", think=0.5, timings=timings)
    judging = threading.Thread(
        target=lambda: outcome.append(judge_together(crowd, minutes=options.minutes))
    )
    judging.start()
    begun = time.monotonic()

    def step(name: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {name}", flush=True)

    while not timings.of("save"):
        time.sleep(0.1)
    step("raters judge")
    programs.stop("worker")
    step("the old worker has ended")
    _manage(ROOT, "migrate", "-v", "0")
    step("migrated")
    for number, port in enumerate(ports, start=1):
        programs.stop(f"web-{number}")
        programs.start_web(f"web-{number}", ROOT, port)
        step(f"web server {number} of the new version answers")
        time.sleep(SETTLE_SECONDS)
    programs.start_worker(ROOT)
    step("the new worker is started")
    judging.join()
    step("the raters stop")
    return _report(outcome[0], programs)


def _report(outcome: "Outcome", programs: Programs) -> int:
    from django.db import connections

    from annotation.models import Campaign
    from pipeline.models import Corpus
    from tests.load.checking import findings

    campaign = Campaign.objects.get(slug="crowd")
    is_finished = outcome.submitted == ITEMS * campaign.raters_per_item
    wrong = findings(campaign, outcome.acknowledged, is_finished=is_finished)
    deadline = time.monotonic() + 120
    corpora = Corpus.objects.filter(slug="grown")
    while corpora.get().state != Corpus.State.READY and time.monotonic() < deadline:
        time.sleep(1)
    faults = programs.faults()
    wrong |= {
        "corpora not indexed": corpora.exclude(state=Corpus.State.READY).count(),
        "requests refused or unanswered": len(outcome.errors),
        "faults in logs": len(faults),
    }
    connections.close_all()
    print(f"\n{table({'raters': outcome.timings})}\n")
    print(f"{outcome.requests:,} requests, {len(outcome.acknowledged):,} answers acknowledged")
    for name, count in wrong.items():
        print(f"{count:>8,}  {name}")
    for line in [*outcome.errors[:10], *faults[:10]]:
        print(f"  {line}")
    return 1 if any(wrong.values()) else 0


def _code_of(commit: str, folder: Path) -> Path:
    packed = folder.with_suffix(".tar")
    subprocess.run(["git", "archive", "-o", str(packed), commit], cwd=ROOT, check=True)
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _manage(code: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=code, check=True)


def _proxy(folder: Path, port: int, ports: tuple[int, int]) -> Path:
    """The shipped file, on a port of this machine, without TLS, with logs in the folder."""
    text = (ROOT / "docs/deployment/nginx.conf").read_text()
    [line] = re.findall(r" +server web:8000 .+\n", text)
    servers = (line.replace("web:8000", f"127.0.0.1:{each}") for each in ports)
    text = text.replace(line, "".join(servers))
    text = re.sub(r" +(ssl_|listen \[).+\n", "", text).replace("443 ssl", f"127.0.0.1:{port}")
    text = re.sub(r"server \{\n +listen 80;.+?\n\}\n", "", text, flags=re.DOTALL)
    text = text.replace("/var/log/nginx/", f"{folder}/nginx-")
    made = folder / "nginx.conf"
    made.write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n"
        f"client_body_temp_path {folder};\nproxy_temp_path {folder};\n{text}}}\n"
    )
    return made


@contextlib.contextmanager
def _stopped_at_the_end(programs: Programs) -> Iterator[None]:
    try:
        yield
    finally:
        for name in list(programs.running):
            programs.stop(name)


if __name__ == "__main__":
    sys.exit(main())
