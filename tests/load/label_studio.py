"""The same work with Label Studio and with rarrweb, one request at a time, on one machine.

    python -m tests.load.label_studio --label-studio VENV [--tasks 10000] [--judged 1000]

`VENV` is a virtual environment into which Label Studio was installed from PyPI. Both servers run
on SQLite in temporary folders, Label Studio with telemetry, error reports and version checks off.
The same generated lines (a question, five sentences, five quotes) go into both over their APIs;
then one rater judges in each, fifty items here, fifty there, so that what else the machine does
meets both; then lists and exports in turn. Prints medians, 95th percentiles, n and ratios.

What a rater does is what the browser sends. In Label Studio an item is one draft that is saved
meanwhile, the annotation with all answers, and the call that gives the next task's data. In
rarrweb it is a save a click, the submission that claims the next item, and the next item's page.
"""

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.bench.importing import hagrid_lines
from tests.bench.memory import pss_of_all
from tests.load.browser import Browser
from tests.load.raters import machine
from tests.load.server import Server, disconnect, prepare, serving, temporary_state
from tests.load.timings import Timings, percentile
from tests.support.installation import free_port, wait_until_answered

PLACES = range(5)
"""Of sentences, and of quotes."""
BLOCK = 50
"""Items that one is asked for before the other has its turn."""
WARM, LISTS, EXPORTS = 20, 50, 3
"""Items and lists that are not timed; lists and exports that are."""
NAME, PASSWORD = "rater@rarrweb.example", "sixteen-quiet-hedgehogs"
CHOICES = """<Text name="{what}{n}" value="${what}{n}"/>
<Choices name="{about}{n}" toName="{what}{n}" choice="single-radio"{required}>
<Choice value="{yes}"/><Choice value="not {yes}"/></Choices>"""
QUIET = {
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
    "DEBUG": "false",
    "LOG_LEVEL": "ERROR",
}
"""Label Studio asks nobody and writes no more log than it must."""
MEANING = {
    "import": "import, until the first can be judged",
    "save": "save: a draft / a click",
    "submit": "submit: all answers / and claim the next item",
    "task page": "the next task: its data / its page",
    "next task": "from submitting until the next task is there",
    "list": "list of 30, as JSON",
    "export": "export of all, as JSON",
}
"""What is timed: in Label Studio / in rarrweb, where they differ."""


class Tool(Protocol):
    timings: Timings

    def bring_in(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Over the API, until the first can be judged."""

    def judge(self, items: int) -> None: ...

    def list_items(self) -> float:
        """The seconds of a list of thirty."""

    def export(self) -> int:
        """How many of the lines' texts are in the file of all items."""

    def memory(self) -> dict[str, float]: ...


@dataclass(kw_only=True)
class LabelStudio:
    url: str
    process: "subprocess.Popen[bytes]"
    timings: Timings = field(default_factory=Timings)
    submitting: float = 0.0
    """The seconds that the last annotation took."""

    def __post_init__(self) -> None:
        self.browser = Browser(url=self.url, patience=900)
        self.browser.get("/user/login/")
        self.browser.post_form("/user/login/", email=NAME, password=PASSWORD)
        config = "".join(
            CHOICES.format(what=what, n=n, about=about, yes=yes, required=required)
            for what, about, yes, required in (
                ("sentence", "judged", "attributable", ' required="true"'),
                ("quote", "rated", "useful", ""),
            )
            for n in PLACES
        )
        reported = {
            "title": "the same work",
            "label_config": f'<View><Header value="$question"/>{config}</View>',
        }
        made, _ = self._ask("POST", "/api/projects/", "set up", reported)
        self.project = made["id"]

    def bring_in(self, lines: Sequence[Mapping[str, Any]]) -> None:
        tasks = [
            {"question": line["query"]}
            | {f"sentence{n}": line["answers"][0]["sentences"][n]["text"] for n in PLACES}
            | {f"quote{n}": line["quotes"][n]["text"] for n in PLACES}
            for line in lines
        ]
        made, _ = self._ask("POST", f"/api/projects/{self.project}/import", "set up", tasks)
        assert made["task_count"] == len(lines), made

    def judge(self, items: int) -> None:
        answers = [
            {
                "id": f"judged{n}",
                "from_name": f"judged{n}",
                "to_name": f"sentence{n}",
                "type": "choices",
                "value": {"choices": ["attributable"]},
            }
            for n in PLACES
        ]
        for _ in range(items):
            following, waited = self._ask("GET", f"/api/projects/{self.project}/next", "task page")
            if self.submitting:
                self.timings.add("next task", self.submitting + waited)
            about = f"/api/tasks/{following['id']}"
            body = {"result": answers, "lead_time": 20.0}
            draft, _ = self._ask("POST", f"{about}/drafts?project={self.project}", "save", body)
            body["draft_id"] = draft["id"]
            path = f"{about}/annotations?project={self.project}"
            _, self.submitting = self._ask("POST", path, "submit", body)

    def list_items(self) -> float:
        path = f"/api/tasks?project={self.project}&page=1&page_size=30"
        return self.browser.get(path).seconds

    def export(self) -> int:
        path = f"/api/projects/{self.project}/export?exportType=JSON&download_all_tasks=true"
        return len(json.loads(self.browser.get(path).body))

    def memory(self) -> dict[str, float]:
        return pss_of_all(self.process.pid)

    def _ask(self, method: str, path: str, name: str, body: object = None) -> tuple[Any, float]:
        reply = self.browser.send_json(method, path, json.dumps(body).encode() if body else b"")
        self.timings.add(name, reply.seconds)
        return json.loads(reply.body), reply.seconds


@contextlib.contextmanager
def label_studio(venv: Path) -> Iterator[LabelStudio]:
    """Serve Label Studio with an account and SQLite."""
    port = free_port()
    url = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory(prefix="label-studio-") as folder:
        command = [str(venv / "bin" / "label-studio"), "start", "--no-browser", "--init"]
        command += ["--username", NAME, "--password", PASSWORD, "--port", str(port)]
        # Django settings of its own: without those of `temporary_state`.
        others = {name: value for name, value in os.environ.items() if "DJANGO" not in name}
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                command,
                env={**others, **QUIET, "LABEL_STUDIO_BASE_DATA_DIR": folder},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until_answered(f"{url}/health", process)
            yield LabelStudio(url=url, process=process)
        finally:
            process.terminate()
            process.wait(timeout=60)


@dataclass(kw_only=True)
class Rarrweb:
    server: Server
    timings: Timings = field(default_factory=Timings)

    def __post_init__(self) -> None:
        from tests.load.alone import logged_in
        from tests.load.filling import make_people

        make_people(1)
        self.researcher = logged_in(self.server.url, "researcher")
        self.researcher.patience = 900

    def bring_in(self, lines: Sequence[Mapping[str, Any]]) -> None:
        from tests.load.crowd import simulated

        dataset = self._ask("POST", "/api/datasets/", {"name": "The same work"})["slug"]
        file = "".join(json.dumps(line) + "\n" for line in lines).encode()
        path = f"/api/datasets/{dataset}/passages/"
        upload = json.loads(self.researcher.post_file(path, "lines.jsonl", file).body)
        path = f"/api/uploads/{upload['id']}/"
        if self._wait(path, "checked", "done") == "checked":
            self._ask("POST", f"{path}import/")
            self._wait(path, "done")
        reported = {"dataset": dataset, "raters_per_item": 1, "raters": ["rater-001"]}
        reported["options"] = []  # ratings of quotes are optional there, too
        self.slug = self._ask("POST", "/api/campaigns/", reported)["slug"]
        made = self._ask("POST", f"/api/campaigns/{self.slug}/start/")
        assert made["item_count"] == len(lines), made
        (self.rater,) = simulated(
            ["rater-001"], url=self.server.url, campaign=self.slug, think=0, timings=Timings()
        )
        self.rater.log_in()

    def judge(self, items: int) -> None:
        self.rater.timings = self.timings
        self.rater.work(until=time.monotonic() + 3600, items=self.rater.submitted + items)
        assert not self.rater.errors, self.rater.errors

    def list_items(self) -> float:
        return self.researcher.get(f"/api/campaigns/{self.slug}/items/?limit=30").seconds

    def export(self) -> int:
        lines = self.researcher.get(f"/api/campaigns/{self.slug}/exports/hagrid/").body
        return lines.count(b"\n")

    def memory(self) -> dict[str, float]:
        return pss_of_all(self.server.process.pid)

    def _wait(self, path: str, *states: str) -> str:
        while (state := self._ask("GET", path)["state"]) not in states:
            assert state != "failed", self._ask("GET", path)
            time.sleep(0.05)
        return str(state)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        sent = json.dumps(body).encode() if body is not None else b""
        return json.loads(self.researcher.send_json(method, path, sent).body)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--label-studio", type=Path, required=True, help="its virtual environment")
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--judged", type=int, default=1_000, help="items that one rater judges")
    options = parser.parse_args()
    print(machine())
    lines = list(hagrid_lines(options.tasks))
    with temporary_state("", keep=False) as folder:
        prepare()
        with (
            label_studio(options.label_studio) as theirs,
            serving(folder, with_worker=True) as mine,
        ):
            ours = Rarrweb(server=mine)
            compare(theirs, ours, lines, judged=options.judged)
        disconnect()


def compare(theirs: Tool, ours: Tool, lines: Sequence[Mapping[str, Any]], *, judged: int) -> None:
    both = (theirs, ours)
    for tool in both:
        print({label.strip(): round(size, 1) for label, size in tool.memory().items()})
        with timed(tool, "import"):
            tool.bring_in(lines)
        stored, tool.timings = tool.timings, Timings()
        tool.judge(WARM)
        tool.timings = stored
    for _ in range(judged // BLOCK):
        for tool in both:
            tool.judge(BLOCK)
    for number in range(WARM + LISTS):
        for tool in both:
            seconds = tool.list_items()
            if number >= WARM:
                tool.timings.add("list", seconds)
    for _ in range(EXPORTS):
        for tool in both:
            with timed(tool, "export"):
                result = tool.export()
            assert result == len(lines), result
    report(theirs, ours, judged=judged)


@contextlib.contextmanager
def timed(tool: Tool, what: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    tool.timings.add(what, time.perf_counter() - begun)


def report(theirs: Tool, ours: Tool, *, judged: int) -> None:
    title = f"{'ms':<50}{'Label Studio: n':>16}{'p50':>10}{'p95':>10}"
    print(f"\n{title}{'rarrweb: n':>16}{'p50':>10}{'p95':>10}{'p50 ratio':>11}")
    for name, meaning in MEANING.items():
        medians, cells = [], ""
        for tool in (theirs, ours):
            seconds = tool.timings.of(name)
            medians.append(percentile(seconds, 0.5))
            cells += f"{len(seconds):>16,}{medians[-1] * 1000:>10.1f}"
            cells += f"{percentile(seconds, 0.95) * 1000:>10.1f}"
        print(f"{meaning:<50}{cells}{medians[0] / medians[1]:>11.1f}")
    wholes = []
    for tool in (theirs, ours):
        queries = ("save", "submit", "task page", "leave")
        wholes.append(sum(sum(tool.timings.of(name)) for name in queries) / judged * 1000)
    requests = (len(tool.timings.of("save")) / judged for tool in (theirs, ours))
    saves = " / ".join(f"{each:.1f}" for each in requests)
    print(f"all requests of an item, {saves} saves among them: ", end="")
    print(f"{wholes[0]:.1f} ms / {wholes[1]:.1f} ms, ratio {wholes[0] / wholes[1]:.1f}")
    for name, tool in (("Label Studio", theirs), ("rarrweb", ours)):
        held = tool.memory()
        print(f"memory (PSS) of {name}: {sum(held.values()):.0f} MB in {len(held)} processes")


if __name__ == "__main__":
    main()
