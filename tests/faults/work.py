"""Work of all kinds at once, done over HTTP as browsers and programs do it, and what must be true
of it afterwards: a file of passages, a corpus to index, a run, raters, dataset packages.

Whoever asks here is as patient as the judging page's script: an answer that does not come, or one
of 500 or more, is asked for again, and what was acknowledged is remembered.
"""

import hashlib
import http.client
import io
import json
import threading
import time
import urllib.error
import urllib.request
import uuid
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.servers import text_of
from tests.load.browser import Browser, HttpFailure, Reply
from tests.load.filling import PASSWORD, make_campaign, make_people
from tests.load.rater import SimulatedRater
from tests.load.timings import Timings

if TYPE_CHECKING:
    from pipeline.rarr.types import Document

ROWS, DOCUMENTS = 20_000, 2_000
"""Passages, and documents to index, in the files that are brought in."""
PASSAGES, ASKED_PASSAGES = 200, 40
"""Of the run; of one that asks a language model's server. Enough to outlast the strikes: passages
that a strike cuts off are begun again last, and one that two workers die over fails."""
BUDGET = 60
"""Calls of a second run that asks such a server."""
ITEMS, RATERS, PER_ITEM = 8, 4, 2
PAUSE = 0.2
LIMIT_SECONDS = 300
"""How long the work may take after the last fault."""


@dataclass
class Heard:
    """What clients got instead of an answer."""

    counts: Counter[str] = field(default_factory=Counter)

    def note(self, what: str) -> None:
        self.counts[what] += 1


class PatientBrowser(Browser):
    heard: Heard
    deadline: Callable[[], float]

    def _request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        while True:
            try:
                return super()._request(method, path, body, dict(headers))
            except HttpFailure as failure:
                words = str(failure).split(": ", 1)[1]
                status = words.split(" ", 1)[0]
                if status.isdigit() and int(status) < 500:
                    raise
                self.heard.note(status if status.isdigit() else "no answer")
                if time.monotonic() > self.deadline():
                    raise
                time.sleep(PAUSE)


@dataclass(kw_only=True)
class PatientRater(SimulatedRater):
    heard: Heard
    deadline: Callable[[], float]

    def __post_init__(self) -> None:
        super().__post_init__()
        self.browser = PatientBrowser(url=self.url)
        self.browser.heard, self.browser.deadline = self.heard, self.deadline


class Program:
    """A client of the API with a token."""

    def __init__(
        self, url: str, token: str, *, heard: Heard, deadline: Callable[[], float]
    ) -> None:
        self.url, self.token, self.heard, self.deadline = url, token, heard, deadline

    def ask(
        self, method: str, path: str, body: Any = None, *, file: tuple[str, bytes] | None = None
    ) -> Any:
        """The answer's JSON; of a 409 too, which a repeated question may get."""
        content = self.fetch(method, path, body, file=file)
        return json.loads(content) if content else {}

    def fetch(
        self, method: str, path: str, body: Any = None, *, file: tuple[str, bytes] | None = None
    ) -> bytes:
        headers = {"Authorization": f"Bearer {self.token}"}
        data = None
        if file is not None:
            mark = uuid.uuid4().hex
            headers["Content-Type"] = f"multipart/form-data; boundary={mark}"
            field_name, content = file
            head = f'Content-Disposition: form-data; name="{field_name}"; filename="a.jsonl"'
            begin, end = f"--{mark}\r\n{head}\r\n\r\n", f"\r\n--{mark}--\r\n"
            data = begin.encode() + content + end.encode()
        elif body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        while True:
            request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                    content: bytes = answer.read()
                    return content
            except urllib.error.HTTPError as error:
                content = error.read()
                if error.code == 409:
                    return content
                if error.code < 500:
                    raise RuntimeError(f"{method} {path}: {error.code} {content[:300]!r}") from None
                self.heard.note(str(error.code))
            except (OSError, http.client.HTTPException):
                self.heard.note("no answer")
            if time.monotonic() > self.deadline():
                raise RuntimeError(f"{method} {path}: no answer until the end")
            time.sleep(PAUSE)

    def wait(self, path: str, *states: str) -> Any:
        """Until the thing at `path` is in none of the states; fails at the end of all patience."""
        while (found := self.ask("GET", path)).get("state") in states:
            if time.monotonic() > self.deadline():
                raise RuntimeError(f"{path} is {found['state']} and stays so: not healed")
            time.sleep(PAUSE)
        return found


class Work:
    """Prepared through the database, done over HTTP by threads, checked in the database."""

    def __init__(self, url: str, log: Path, *, servers: Path | None = None) -> None:
        """`servers` is the folder of `tests.faults.servers`, where passages are revised by them."""
        self.servers = servers
        self.url, self.log = url, log
        self.heard = Heard()
        self.errors: list[str] = []
        self.until = time.monotonic() + 3600
        self.done: set[str] = set()
        self.packages: list[int] = []
        self.slowest_package = 0.0
        """Seconds from asking for a package until it was there."""
        self.told = 0
        """How often the run's page had to say why passages wait."""

    def prepare(self) -> None:
        from pipeline.backends.tantivy_corpus import write_index
        from pipeline.data.corpora import index_path
        from pipeline.engine.configuration import RunConfig
        from pipeline.models import Corpus, Dataset, Passage
        from pipeline.runs import start
        from rarrweb.accounts.models import ApiToken
        from rarrweb.accounts.tokens import make_token

        researcher, raters = make_people(RATERS)
        self.campaign = make_campaign(
            "crowd", items=ITEMS, per_item=PER_ITEM, researcher=researcher, raters=raters
        )
        _, token = make_token(researcher, name="faults", scope=ApiToken.Scope.WRITE, days=30)
        self.program = Program(self.url, token, heard=self.heard, deadline=self.deadline)
        corpus = Corpus.objects.create(slug="ready", name="ready", state=Corpus.State.READY)
        wanted = {"run": (0, PASSAGES, 0)}
        if self.servers:
            wanted = {"run": (0, ASKED_PASSAGES, 0), "limited": (1000, BUDGET // 2, BUDGET)}
            halls = [n for first, count, _ in wanted.values() for n in range(first, first + count)]
            write_index(index_path(corpus.slug), (_about(hall) for hall in halls))
        self.runs = {}
        for slug, (first, count, budget) in wanted.items():
            dataset = Dataset.objects.create(slug=slug, name=slug, passage_count=count)
            Passage.objects.bulk_create(
                Passage(dataset=dataset, external_id=f"p{n}", text=text_of(n), content_hash=str(n))
                for n in range(first, first + count)
            )
            config = RunConfig.from_settings(system="rarr", overrides={"budget_calls": budget})
            self.runs[slug] = start.start_run(
                dataset=dataset, corpus=corpus, config=config, created_by=researcher
            )
        self.run = self.runs["run"]
        self.researcher = PatientRater(
            url=self.url, username=researcher.username, password=PASSWORD, campaign="",
            think=0, seed=0, timings=Timings(), heard=self.heard, deadline=self.deadline,
        )  # fmt: skip
        self.raters = [
            PatientRater(
                url=self.url, username=rater.username, password=PASSWORD, campaign="crowd",
                think=0.1, seed=number, timings=Timings(), heard=self.heard,
                deadline=self.deadline,
            )
            for number, rater in enumerate(raters)
        ]  # fmt: skip

    def deadline(self) -> float:
        return self.until

    def begin(self) -> None:
        jobs = {
            "import": self._import,
            "indexing": self._index,
            "run": self._run,
            "annotation": self._judge,
            "export": self._export,
        }
        self.threads = {
            name: threading.Thread(target=self._guarded, args=(name, job), name=name, daemon=True)
            for name, job in jobs.items()
        }
        for thread in self.threads.values():
            thread.start()

    def under_way(self) -> list[str]:
        """The kinds of work that are not at their end."""
        return [name for name, thread in self.threads.items() if thread.is_alive()]

    def end(self) -> None:
        """Wait until all is done, at most for `LIMIT_SECONDS`."""
        self.until = time.monotonic() + LIMIT_SECONDS
        for thread in self.threads.values():
            thread.join()

    def _guarded(self, name: str, job: Callable[[], None]) -> None:
        try:
            job()
            self.done.add(name)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told in the table
            self.errors.append(f"{name}: {type(error).__name__}: {error}")
            print(self.errors[-1], flush=True)

    def _import(self) -> None:
        self._bring_in("datasets", "passages", "file")

    def _index(self) -> None:
        self._bring_in("corpora", "documents", "files")
        path = "/api/corpora/brought-in/"
        found = self.program.wait(path, "empty", "queued", "indexing")
        while self._is_disk_full(found, "error"):
            self.program.ask("POST", f"{path}index/")
            found = self.program.wait(path, "empty", "queued", "indexing")
        if found["state"] != "ready":
            raise RuntimeError(f"the corpus is {found['state']}: {found.get('error')}")

    def _bring_in(self, kind: str, rows: str, field_name: str) -> None:
        ask = self.program.ask
        ask("POST", f"/api/{kind}/", {"name": "brought in"})  # a 409: it was made, unanswered
        file = (field_name, _lines(ROWS if kind == "datasets" else DOCUMENTS))
        while True:
            said = ask("POST", f"/api/{kind}/brought-in/{rows}/", file=file)
            if "id" in said and self._is_in(said["id"]):
                return
            if time.monotonic() > self.deadline():
                raise RuntimeError(f"the file is refused until the end: {said}")
            time.sleep(PAUSE)

    def _is_in(self, upload: int | None) -> bool:
        """Whether a file is imported; False where the disk was full: it has to come again."""
        if upload is None:  # nothing new: an earlier, unanswered one has it all
            return True
        ask = self.program.ask
        path = f"/api/uploads/{upload}/"
        found = self.program.wait(path, "checking")
        if found["state"] == "checked":
            ask("POST", f"{path}import/")
        found = self.program.wait(path, "importing")  # a small file is at once
        if self._is_disk_full(found, "failure"):
            return False
        if found["state"] != "done":
            raise RuntimeError(f"upload {upload} is {found['state']}: {found.get('failure')}")
        return True

    def _is_disk_full(self, found: Mapping[str, Any], name: str) -> bool:
        """Whether work ended with the sentence that says so; then it is asked for again."""
        is_full = found["state"] == "failed" and "no space left" in found.get(name, "")
        if is_full:
            self.heard.note("disk full")
            time.sleep(1)
        return is_full

    def _run(self) -> None:
        path = f"/api/runs/{self.run.pk}/"
        while True:
            found = self.program.wait(path, "running")
            if found["state"] != "finished":
                raise RuntimeError(f"the run is {found['state']}: {found}")
            if not self.servers or not found["failures"]:
                break
            if (names := {each["name"] for each in found["failures"]}) != {"TransientError"}:
                raise RuntimeError(f"passages failed as {names}")
            self.program.ask("POST", f"{path}retry/", {})
        for limited in self.runs.keys() - {"run"}:
            self.program.wait(f"/api/runs/{self.runs[limited].pk}/", "running")

    def says_of_queue(self) -> str:
        """What /readyz tells of the queue; the page of the run and the home page come, too."""
        self._look()
        found: str = self.program.ask("GET", "/readyz")["queue"]
        return found

    def _look(self) -> str:
        """The run's page, as the researcher sees it."""
        if not self.researcher.browser.cookies:
            self.researcher.log_in()
        self.researcher.browser.get("/")
        return self.researcher.browser.get(f"/runs/{self.run.pk}/").text

    def says_why(self) -> bool:
        """Whether the run's page names why passages wait for another try, where some do."""
        from pipeline.runs.progress import passages_put_back

        before = passages_put_back(self.run)
        page = self._look()
        if not (before and passages_put_back(self.run)):
            return True  # they may have been under way again when the page was made
        self.told += 1
        return "waiting to retry" in page and "Latest reason: transient error: The " in page

    def _judge(self) -> None:
        def live(rater: PatientRater) -> None:
            try:
                rater.log_in()
            except HttpFailure as error:
                rater.errors.append(str(error))
                return
            rater.work(until=time.monotonic() + LIMIT_SECONDS)

        threads = [
            threading.Thread(target=live, args=(rater,), daemon=True) for rater in self.raters
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for rater in self.raters:
            self.errors += rater.errors
            if "You are done" not in rater.end:
                self.errors.append(f"{rater.username} waits for an item that nobody judges")

    def _export(self) -> None:
        """A package after the other, as long as people judge."""
        while True:
            is_last = not self.threads["annotation"].is_alive()
            asked = time.monotonic()
            said = self.program.ask(
                "POST", "/api/campaigns/crowd/packages/", {"formats": ["csv", "hagrid"]}
            )
            path = f"/api/packages/{said['id']}/"
            found = self.program.wait(path, "queued", "writing")
            if self._is_disk_full(found, "failure"):
                continue
            self.packages.append(said["id"])
            if found["state"] != "done":
                raise RuntimeError(f"package {said['id']} is {found['state']}: {found['failure']}")
            self.slowest_package = max(self.slowest_package, time.monotonic() - asked)
            content = self.program.fetch("GET", f"{path}download/")
            if hashlib.sha256(content).hexdigest() != found["sha256"]:
                raise RuntimeError(f"package {said['id']} is not what its sum says")
            if zipfile.ZipFile(io.BytesIO(content)).testzip():
                raise RuntimeError(f"package {said['id']} is broken")
            if is_last:
                return
            time.sleep(1)


def _about(hall: int) -> "Document":
    from pipeline.rarr.types import Document

    return Document(
        id=f"h{hall}", title=f"Hall {hall}", url="", text=f"Hall {hall} opened in 1904."
    )


def _lines(count: int) -> bytes:
    return "".join(
        json.dumps({"id": f"row-{n}", "title": f"t{n}", "text": _text(n)}) + "\n"
        for n in range(count)
    ).encode()


def _text(number: int) -> str:
    words = hashlib.sha256(str(number).encode()).hexdigest()
    return f"Row {number} says {' '.join(words[i : i + 4] for i in range(0, 64, 4))}. " * 3
