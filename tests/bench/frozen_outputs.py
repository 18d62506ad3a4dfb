"""The outputs of one checkout that `before_and_after` compares, written by its code.

`before_and_after` runs this file in the checkout, so it relies on as little of it as it can: on
commands, on the HTTP API, on pages and on models. The clock stands still, and what is drawn is
drawn from fixed seeds.
"""

import html
import io
import json
import logging
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

DEMO = Path(__file__).parents[2] / "pipeline" / "demo_data"
"""Of the checkout that has this file, whichever is measured: the same input for all."""
NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
PASSAGES = 6
"""Of the demo, in the seeded installation."""
RATERS = ("ann", "ben", "cleo")
USERS = {**dict.fromkeys(RATERS, ""), "lea": "researcher", "root": "administrator"}
CRITERIA: dict[str, list[tuple[str, str, range]]] = {
    "attribution": [("attributable", "sentences", range(2)), ("useful", "evidence", range(2))],
    "intent": [("intent", "item", range(3))],
    "answer_quality": [("informative", "sentences", range(2)), ("attributable", "cited", range(2))],
    "citation": [("utility", "item", range(1, 6)), ("citation_recall", "cited", range(2))],
    "manual_revision": [("revision", "item", range(1, 2))],
}
CRITERIA["citation"].append(("citation_precision", "citations", range(3)))
"""Questionnaire to its criteria: name, what is judged, the levels."""
FORMATS = ["hagrid", "alce", "gold_edits", "csv", "parquet", "skips"]
FORMATS += ["checks", "reference_answers", "package"]
RUNS = [f"{page}?run=1&run=2" for page in ("/compare/", "/compare/passages/", "/results/")]
STARTS = {"visitor": ["/"], "ann": ["/"], "lea": ["/", *RUNS, "/search/?q=bridge"]}
STARTS["root"] = ["/people/"]
"""User to where the walk along the links begins; `root` stays on the pages of people."""
NOT_WALKED = re.compile(r"/(static|help|admin|scripts|texts|api|metrics|healthz|readyz)\b")
MASKS = {
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?": "TIME",
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32,}\b": "RANDOM",
    r"(csrfmiddlewaretoken\" value=\"|X-CSRFToken\": \"|nonce=\")[^\"]+": r"\1TOKEN",
    r"(/(?:static|scripts)/[^\"?]*)\?[^\"]*": r"\1",
}
VARYING = re.compile(r".*seconds|versions|rarrweb")
"""Keys of JSON whose values differ from one start, or one commit, to the next."""
missing: list[str] = []
"""What the checkout lacks or refuses, in plain words."""


def measure(out: str, parts: list[str]) -> None:
    folder = Path(out)
    with tempfile.TemporaryDirectory() as temporary:
        inputs = write_inputs(Path(temporary))
        if "commands" in parts:
            write_commands(folder / "commands", inputs)
        slugs = seed(inputs) if {"exports", "pages"} & set(parts) else []
        if "exports" in parts:
            write_exports(folder / "exports", slugs)
        if "pages" in parts:
            write_pages(folder / "pages")
    write(folder / "missing.txt", "".join(f"{line}\n" for line in missing))


def attempt(what: str, action: Callable[[], Any]) -> Any:
    """Return the result, or None with a line in `missing.txt`."""
    try:
        return action()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever another checkout lacks
        missing.append(f"{what}: {type(error).__name__}: {str(error).partition(chr(10))[0]}")
        return None


def write(path: Path, text: str) -> None:
    for pattern, mask in MASKS.items():
        text = re.sub(pattern, mask, text)
    for number, name in enumerate(dict.fromkeys(re.findall(r"rater-[0-9a-f]{12}", text)), 1):
        text = text.replace(name, f"rater-{number}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pretty(text: str) -> str:

    def steady(fields: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in fields.items() if not VARYING.fullmatch(key)}

    texts = [text] if text.startswith("{\n") else text.splitlines()
    rows = [json.loads(each, object_hook=steady) for each in texts]
    return "".join(json.dumps(row, ensure_ascii=False, indent=1) + "\n" for row in rows)


def write_inputs(folder: Path) -> dict[str, Path]:
    read = lambda name: (DEMO / name).read_text(encoding="utf-8")  # noqa: E731
    corpus = [{"id": row["file"], **row} for row in json.loads(read("index.json"))]
    documents = {row["id"]: row | {"text": read(f"documents/{row['id']}")} for row in corpus}
    passages = list(map(json.loads, read("passages.jsonl").splitlines()))
    planted = {row["id"]: row["errors"] for row in json.loads(read("planted.json"))}
    rows: dict[str, list[Any]] = {"corpus": [*documents.values()], "passages": passages}
    rows |= {"hagrid": [hagrid_line(4, "Marlow", 1), hagrid_line(7, "Corby", 0)]}
    rows |= {"rarr": [], "sentences": [], "answers": []}
    for passage in passages:
        question, texts = passage["context"], [passage["text"]]
        for error in planted[passage["id"]]:
            texts.append(texts[-1].replace(error["wrong"], error["right"]))
        used = [documents[error["document"]] for error in planted[passage["id"]]]
        used = used or [documents["forth-bridge.md"]]
        evidence = [each["text"] for each in used]
        given = {"context": question, "evidence": evidence}
        rows["sentences"] += [{**given, "sentence": text} for text in texts]
        answer = {"answer": f"{texts[0].removesuffix('.')} [1].", "contexts": evidence}
        rows["answers"].append({"question": question, **answer})
        info = {"claim": texts[0], "context": question}
        report = [{"text": each["text"].split("\n")[2], "title": each["title"]} for each in used]
        result = {"revisions": [{"revised_text": texts[-1]}], "selected_evidences": report}
        rows["rarr"].append({"id": passage["id"], "input_info": info, "result": result})
    del rows["rarr"][PASSAGES:]
    for name, written in rows.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in written)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.jsonl" for name in rows}


def hagrid_line(number: int, hall: str, label: int) -> dict[str, Any]:
    texts = [f"{hall} Hall opened in {1900 + number} [1].", f"It has {number}00 seats [1][2]."]
    quotes = [{"idx": i, "docid": f"{number}#{i}", "text": text} for i, text in enumerate(texts, 1)]
    labels = {"informative": 1, "attributable": label}
    sentences = [{"index": i, "text": text, **labels} for i, text in enumerate(texts)]
    answer = {"answer": " ".join(texts), "answer_type": "long", **labels, "sentences": sentences}
    question = {"query_id": str(number), "query": f"When did {hall} Hall open?"}
    return {**question, "quotes": quotes, "answers": [answer]}


def write_commands(out: Path, inputs: dict[str, Path]) -> None:
    sources = {"revise": "passages", "attribution": "sentences", "citations": "answers"}
    for name, source in sources.items():
        target = inputs[source].with_name(f"{name}.json")
        command = [sys.executable, "manage.py", name, str(inputs[source]), "--out", str(target)]
        command += ["--corpus", str(inputs["corpus"])] if name == "revise" else []
        run = partial(subprocess.run, capture_output=True, text=True, check=True)
        attempt(name, partial(run, command))
        if target.exists():
            write(out / target.name, pretty(target.read_text(encoding="utf-8")))


def set_up() -> None:
    import django
    from django.utils import timezone

    timezone.now = lambda: NOW
    django.setup()
    from celery import Celery
    from django.conf import settings

    def send_task(app: Any, name: str, args: Any = (), *_: Any, **__: Any) -> None:
        app.loader.import_default_modules()
        app.tasks[name].apply(args)

    Celery.send_task = send_task
    settings.ALLOWED_HOSTS = ["*"]
    logging.disable(logging.ERROR)
    manage("migrate")
    manage("createcachetable")


def manage(name: str, *arguments: Any) -> None:
    from django.core.management import call_command

    run = partial(call_command, name, *map(str, arguments), stdout=io.StringIO())
    attempt(f"manage.py {name}", run)


def model(name: str) -> Any:
    from django.apps import apps

    return apps.get_model(name)


def make(name: str, **values: Any) -> Any:
    """Create a row without the fields that this checkout lacks."""
    known = {field.name for field in model(name)._meta.get_fields()}
    missing.extend(f"{name}.{field} does not exist" for field in values.keys() - known)
    return model(name).objects.create(**{k: v for k, v in values.items() if k in known})


def browser(username: str) -> Any:
    from django.test import Client

    client = Client(raise_request_exception=False)
    if user := model("accounts.User").objects.filter(username=username).first():
        client.force_login(user)
    return client


def post(address: str, **body: Any) -> dict[str, Any]:
    done = browser("lea").post(address, json.dumps(body), content_type="application/json")
    if done.status_code < 300:
        return dict(done.json())
    missing.append(f"{address} answers {done.status_code}: {done.content.decode()[:300]}")
    return {}


def seed(inputs: dict[str, Path]) -> list[str]:
    set_up()
    for name, role in USERS.items():
        model("accounts.User").objects.create_user(name, password=f"of {name}", role=role)
    manage("load_corpus", inputs["corpus"], "--name", "Encyclopedia")
    manage("load_passages", inputs["rarr"], "--dataset", "Demo", "--system", "published")
    manage("load_passages", inputs["hagrid"], "--dataset", "Halls", "--format", "hagrid")
    manage("score_run", 1)
    for system in ("rarr", "efec"):
        post("/api/runs/", dataset="demo", corpus="encyclopedia", system=system)
    # What the runs cost differs from one start to the next.
    usage = {"seconds": 2.0, "working_seconds": 2.0}
    attempt("Revision.usage", lambda: model("pipeline.Revision").objects.update(usage=usage))
    run: dict[str, Any] = {"runs": [1]}
    slugs = [
        begin("attribution", **run, sides="both"),
        begin("intent", **run),
        begin("manual_revision", **run, sides="before"),
        begin("answer_quality", dataset="halls"),
        begin("citation", dataset="halls"),
    ]
    for campaign in model("annotation.Campaign").objects.filter(slug__in=slugs):
        attempt(f"judging {campaign}", partial(judge, campaign))
    slugs.append(begin("attribution", name="Not judged", runs=[1, 2]))
    post("/api/campaigns/", questionnaire="intent", name="Draft", **run)
    browser(RATERS[0]).post("/tasks/next/")
    browser(RATERS[0]).post("/tasks/1/ask/", {"text": "Does the date count?"})
    return list(filter(None, slugs))


def begin(questionnaire: str, **chosen: Any) -> str:
    values = {"name": f"Study of {questionnaire}", "raters_per_item": 2, "raters": RATERS}
    values |= {"may_repeat_passages": True, "seed": "frozen", **chosen}
    slug = str(post("/api/campaigns/", questionnaire=questionnaire, **values).get("slug", ""))
    return str(slug and post(f"/api/campaigns/{slug}/start/").get("slug", ""))


def judge(campaign: Any) -> None:
    """Two raters judge every item, a third is late and skips; half of it is adjudicated."""
    people = {user.username: user for user in model("accounts.User").objects.all()}
    for item in campaign.items.order_by("position"):
        given: dict[tuple[str, int], set[int]] = {}
        for slot, name in enumerate(RATERS, start=1):
            if slot < 3 or item.position in {3, 4}:
                for key, value in answers_of(item, people[name], slot):
                    given.setdefault(key, set()).add(value)
        item.done, item.use = 2, {1: "training", 2: "gold"}.get(item.position, "")
        item.save()
        for number, ((criterion, target), values) in enumerate(given.items()):
            key = {"item": item, "criterion": criterion, "target": target, "updated_at": NOW}
            if item.use:
                more = {"value": min(values), "why": "So it is.", "given_by": people["lea"]}
                make("annotation.ReferenceAnswer", **key, **more)
            elif len(values) > 1 and number % 2:
                more = {"value": max(values), "reason": "See [1].", "adjudicator": people["lea"]}
                make("annotation.Adjudication", **key, **more)


def answers_of(item: Any, rater: Any, slot: int) -> Iterator[tuple[tuple[str, int], int]]:
    begun = NOW - timedelta(days=3, minutes=item.position * 7 + slot)
    does_skip = slot == 3 and item.position == 4
    values = {"item": item, "campaign": item.campaign, "rater": rater, "claimed_at": begun}
    values |= {"lease_until": NOW, "active_ms": 90_000, "slot": slot if slot < 3 else None}
    if does_skip:
        values |= {"skipped_at": begun, "skip_reason": "language"}
    else:
        values |= {"submitted_at": begun, "is_late": slot == 3, "comment": "Read twice."}
    values["assignment"] = make("annotation.Assignment", **values)
    for criterion, targets, levels in () if does_skip else CRITERIA[item.campaign.questionnaire]:
        places = sorted({each["sentence"] for each in item.citations})
        if targets != "cited":
            places = list(range(len(getattr(item, targets, ["item"]))))
        for target in places:
            draw = random.Random(f"{criterion} {item.position} {target} {rater.username}")
            row = {"criterion": criterion, "target": target, "value": draw.choice(levels)}
            row |= {"assignment": values["assignment"], "updated_at": begun, "sequence": 1}
            text = item.text.replace("the", "this", slot) if criterion == "revision" else ""
            make("annotation.Judgment", text=text, guidelines_version=1, **row)
            yield (criterion, target), row["value"]


def write_exports(out: Path, slugs: list[str]) -> None:
    wanted = [("campaign", slug, kind) for slug in slugs for kind in FORMATS]
    wanted += [("dataset", name, "hagrid") for name in ("demo", "halls")]
    wanted += [("run", str(number), "rarr") for number in (1, 2, 3)]
    for what, name, kind in wanted:
        with tempfile.TemporaryDirectory() as folder:
            manage("export", f"--{what}", name, "--format", kind, "--out", Path(folder, kind))
            for file in sorted(Path(folder).iterdir()):
                for part, text in texts_of(file):
                    write(out / f"{what}-{name}" / part, text)


def texts_of(file: Path) -> Iterator[tuple[str, str]]:
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as package, tempfile.TemporaryDirectory() as folder:
            package.extractall(folder)
            for member in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
                yield from ((f"{file.name}/{name}", text) for name, text in texts_of(member))
    elif file.read_bytes().startswith(b"PAR1"):
        from pyarrow import parquet

        rows = parquet.read_table(file).to_pylist()
        yield file.name, "".join(json.dumps(row, default=str) + "\n" for row in rows)
    else:
        text = file.read_bytes().decode()
        yield file.name, pretty(text) if file.name.endswith("manifest.json") else text


def write_pages(out: Path) -> None:
    """Save every page linked for a user, one tag per line; roll back each request."""
    from django.core.cache import caches
    from django.db import transaction

    for user, starts in STARTS.items():
        client, waiting, seen = browser(user), deque(starts), set(starts)
        while waiting:
            address = waiting.popleft()
            for cache in caches.all():
                cache.clear()
            with transaction.atomic():
                answer = client.get(address)
                body = answer.getvalue() if answer.streaming else answer.content
                transaction.set_rollback(True)
            links = [answer.headers.get("Location", "")]
            if "html" in answer.headers.get("Content-Type", "") and not links[0]:
                page = body.decode().replace("><", ">\n<")
                links += re.findall(r"(?:href|hx-get)=\"([^\"]+)\"", page)
                lines = [line.strip() for line in page.splitlines() if line.strip()]
                name = address.strip("/").replace("/", "__") or "home"
                text = "\n".join([f"{answer.status_code} {address}", *lines, ""])
                write(out / user / f"{name}.html", text)
            for link in links:
                path = re.split("[?#]", html.unescape(link))[0]
                if path.startswith(starts[0]) and not (path in seen or NOT_WALKED.match(path)):
                    seen.add(path)
                    waiting.append(path)
