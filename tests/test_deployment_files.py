"""Files for containers, systemd and nginx refer to existing things."""

import importlib.util
import re
import shlex
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands, load_command_class
from django.urls import Resolver404, resolve
from gunicorn.app.wsgiapp import WSGIApplication

from rarrweb.celery import LONG, SHORT
from tests.rarrweb.test_configuration import SETTINGS
from tests.support.addresses import PATTERNS

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text()
EXAMPLE = (ROOT / "docker/example.env").read_text()
UNITS = sorted((ROOT / "docs/deployment").glob("*.service"))
SERVERS = [unit for unit in UNITS if "\nRestart=always\n" in unit.read_text()]
TIMERS = sorted((ROOT / "docs/deployment").glob("*.timer"))
NOT_OURS = {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD", "VLLM_MODEL"}
"""Variables of the other images, and of compose.yaml itself."""
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "rarrweb"]


def commands() -> Iterator[tuple[str, list[str]]]:
    yield "Dockerfile", yaml.safe_load(re.findall(r"^CMD (.+)$", DOCKERFILE, re.MULTILINE)[-1])
    for name in OURS:
        if command := COMPOSE["services"][name].get("command"):
            yield f"compose.yaml: {name}", command
    for unit in UNITS:
        (line,) = re.findall(r"^ExecStart=(.+)$", unit.read_text(), re.MULTILINE)
        program, *words = shlex.split(line)
        yield unit.name, [Path(program).name, *words]


@pytest.mark.parametrize(("where", "words"), list(commands()))
def test_every_command_is_one_that_exists(
    where: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match words:
        case ["python", "manage.py", command, *options]:
            loaded = load_command_class(get_commands()[command], command)
            loaded.create_parser("manage.py", command).parse_args(options)
        case ["python", "-m", module]:
            assert importlib.util.find_spec(module)
        case ["gunicorn", *options]:
            monkeypatch.setattr("sys.argv", ["gunicorn", *options])
            config = WSGIApplication().cfg
            assert config.worker_class_str == "gthread"
            assert config.address
        case ["celery", *options]:
            assert options[options.index("-A") + 1] == "rarrweb"
        case other:
            pytest.fail(f"{where}: what is {other[0]}?")


def test_no_queue_is_named_that_nobody_fills() -> None:
    texts = [path.read_text() for path in (*UNITS, ROOT / "docker/compose.yaml")]
    texts.append((ROOT / "docs/operations.md").read_text())
    named = {
        queue
        for text in texts
        for result in re.findall(r"(?:-Q \"?|-Q, \"|QUEUES=)([\w.,]+)", text)
        for queue in result.split(",")
    }
    assert named == {*SHORT, *LONG}


def test_every_variable_is_a_setting() -> None:
    named = set(re.findall(r"^(\w+)=", EXAMPLE, re.MULTILINE))
    text = (ROOT / "docker/compose.yaml").read_text()
    assert set(re.findall(r"\$\{(\w+)", text)) <= named | {"VLLM_MODEL"}
    for service in COMPOSE["services"].values():
        named |= set(service.get("environment", {}))
    assert named - NOT_OURS <= SETTINGS
    image = re.findall(r"\b(RARR_\w+)=", DOCKERFILE)
    assert image
    assert set(image) <= SETTINGS


def test_an_example_that_is_copied_unchanged_gives_no_secret_away() -> None:
    values = dict(line.split("=", 1) for line in EXAMPLE.splitlines() if not line.startswith("#"))
    secrets = {name for name in values if re.search("PASSWORD|KEY|TOKEN", name)}
    assert len(secrets) == 4
    assert {values[name] for name in secrets} == {""}


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_no_more_rights_than_they_need(name: str) -> None:
    service: dict[str, Any] = COMPOSE["services"][name]
    assert (service["cap_drop"], service["read_only"]) == (["ALL"], True)
    assert "ports" not in service, "people come by the proxy"
    assert service.get("user", "10001") != "root"


def test_the_image_is_not_of_root_and_copies_what_is_there() -> None:
    last_stage = DOCKERFILE.rsplit("\nFROM ", 1)[1]
    assert re.findall(r"^USER (.+)$", last_stage, re.MULTILINE) == ["10001:10001"]
    assert re.search(r"^USER", last_stage, re.MULTILINE)
    stored = (ROOT / "docker/Dockerfile.dockerignore").read_text()
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE):
        for source in line.split():
            assert (ROOT / source).exists()
            assert f"\n!{source}\n" in stored


def test_the_image_can_back_up_the_database_of_compose_before_migrations() -> None:
    (client,) = re.findall(r"postgresql-client-(\d+)", DOCKERFILE.rsplit("\nFROM ", 1)[1])
    assert COMPOSE["services"]["db"]["image"].startswith(f"postgres:{client}-")


def test_nginx_takes_strong_ciphers_alone() -> None:
    text = (ROOT / "docs/deployment/nginx.conf").read_text()
    (ciphers,) = re.findall(r"ssl_ciphers (\S+);", text)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers(ciphers)
    of_1_2 = {each["name"] for each in context.get_ciphers() if each["protocol"] == "TLSv1.2"}
    assert {name.split("-")[0] for name in of_1_2} == {"ECDHE"}
    assert all(re.search("GCM|CHACHA20", name) for name in of_1_2)


def test_administrators_of_an_installation_by_these_files_have_a_second_factor() -> None:
    for text in (EXAMPLE, (ROOT / "docs/operations.md").read_text()):
        assert re.search(r"^ *RARR_SECOND_FACTOR=administrators$", text, re.MULTILINE)


def test_nginx_sends_nobody_to_a_host_that_a_client_named_and_speaks_ipv6() -> None:
    text = (ROOT / "docs/deployment/nginx.conf").read_text()
    assert re.findall(r"return 30\d (\S+?);", text) == ["https://$server_name$request_uri"]
    ports = re.findall(r"listen (\d+)", text)
    assert re.findall(r"listen \[::\]:(\d+)", text) == ports == ["80", "443"]


def test_nginx_takes_large_files_to_every_address_that_takes_files() -> None:
    text = (ROOT / "docs/deployment/nginx.conf").read_text()
    (location,) = re.findall(r"location ~ (\S+) \{[^}]+client_max_body_size 2050m;", text)
    takers = [f"/{sample}" for _, _, sample in PATTERNS if is_taker(sample)]
    assert len(takers) > 5
    assert [address for address in takers if not re.search(location, address)] == []


def is_taker(sample: str) -> bool:
    try:
        view = resolve(f"/{sample}").func
    except Resolver404:
        return False  # of a converter that knows what there is
    return getattr(view, "allow_file_upload", False)


@pytest.mark.parametrize("unit", SERVERS, ids=lambda unit: unit.name)
def test_a_unit_stops_its_main_process_alone_and_gives_it_time(unit: Path) -> None:
    text = unit.read_text()
    assert "\nKillMode=mixed\n" in text
    assert int(re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)[0]) >= 30


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_gives_up_what_it_does_not_need(unit: Path) -> None:
    given_up = {"NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet="}
    wanted = given_up | {"SystemCallFilter=@system-service", "User=rarrweb"}
    assert wanted <= set(unit.read_text().splitlines())


def test_what_does_not_run_all_the_time_has_a_timer_that_makes_up_for_a_night_off() -> None:
    assert (
        [each.stem for each in TIMERS]
        == [unit.stem for unit in UNITS if unit not in SERVERS]
        == ["rarrweb-backup"]
    )
    for each in TIMERS:
        lines = set(each.read_text().splitlines())
        assert {"Persistent=true", "WantedBy=timers.target"} <= lines


def test_the_backup_can_write_where_the_document_puts_it() -> None:
    unit = (ROOT / "docs/deployment/rarrweb-backup.service").read_text()
    document = (ROOT / "docs/operations.md").read_text()
    (folder,) = re.findall(r"^ +RARR_BACKUP_FOLDER=(.+)$", document, re.MULTILINE)
    assert re.findall(r"^ReadWritePaths=-(.+)$", unit, re.MULTILINE) == [folder]
    assert re.findall(r"^RequiresMountsFor=(.+)$", unit, re.MULTILINE) == [folder]
    assert re.search(rf"^ +sudo install -d .+ {folder}\b", document, re.MULTILINE)
