"""System checks of settings, with fixes. They use no servers or models: `doctor` does."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from pipeline.backends import (
    NEEDS_ARGUMENT,
    SETTINGS,
    check_decontextualizer,
    choices,
    split_name,
)
from pipeline.backends.sentences import is_installed
from pipeline.rarr.errors import BadConfig
from rarrweb.web.addresses import is_local

LEAST_DISK_BYTES = 1_000_000_000
DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?|mps")


def check_backends(**options: Any) -> Iterator[CheckMessage]:
    for name in SETTINGS:
        if name != "search":  # see `check_search`
            yield from _backend_faults(name)


def check_search(**options: Any) -> Iterator[CheckMessage]:
    from pipeline.engine.search import check_settings

    hint = "Correct the setting, see docs/configuration.md."
    return _refusal(check_settings, hint=hint, number="E008")


def check_prompts(**options: Any) -> Iterator[CheckMessage]:
    from pipeline.engine.language_models import current_prompts

    yield from _refusal(
        current_prompts,
        subject=f"RARR_PROMPTS={settings.RARR_PROMPTS!r} cannot be used: ",
        hint="Correct the folder (docs/prompts.md), or unset RARR_PROMPTS.",
        number="E009",
    )
    yield from _refusal(
        lambda: check_decontextualizer(settings.RARR_DECONTEXTUALIZER),
        subject="RARR_DECONTEXTUALIZER: ",
        hint="Set RARR_DECONTEXTUALIZER to one of: llm, compact, hf:NAME_OR_PATH.",
        number="E010",
    )


def check_llm_settings(**options: Any) -> Iterator[CheckMessage]:
    from pipeline.engine.language_models import llm_options

    return _refusal(llm_options, hint="Correct it, or unset it.", number="E011")


def _refusal(
    read: Callable[[], object], *, subject: str = "", hint: str, number: str
) -> Iterator[CheckMessage]:
    try:
        read()
    except BadConfig as error:
        yield Error(f"{subject}{error}", hint=hint, id=f"pipeline.{number}")


def _backend_faults(name: str) -> Iterator[CheckMessage]:
    setting = f"RARR_{name.upper()}"
    value = str(getattr(settings, setting))
    base = value.partition(":")[0]
    known = choices(name)
    if base not in known:
        yield Error(
            f"{setting}={value!r} names no backend.",
            hint=f"Set {setting} to one of: {', '.join(map(_with_argument, known))}.",
            id="pipeline.E001",
        )
        return
    try:
        split_name(value)
    except BadConfig as error:
        yield Error(
            f"{setting}={value!r}: {error}",
            hint=f"Set {setting}={_with_argument(base)}.",
            id="pipeline.E002",
        )


def _with_argument(name: str) -> str:
    return f"{name}:{NEEDS_ARGUMENT[name]}" if name in NEEDS_ARGUMENT else name


def check_spacy_model(**options: Any) -> Iterator[CheckMessage]:
    name = settings.RARR_SPACY_MODEL
    if not is_installed(name):
        yield Error(
            f"RARR_SPACY_MODEL={name!r} is not installed.",
            hint="Set RARR_SPACY_MODEL=blank, or install the pipeline: "
            f".venv/bin/python -m spacy download {name}",
            id="pipeline.E003",
        )


def check_device(**options: Any) -> Iterator[CheckMessage]:
    name = settings.RARR_DEVICE
    if not DEVICE.fullmatch(name):
        yield Error(
            f"RARR_DEVICE={name!r} is not a device.",
            hint="Set RARR_DEVICE to auto, cpu, cuda, cuda:N or mps.",
            id="pipeline.E007",
        )


def check_folders(**options: Any) -> Iterator[CheckMessage]:
    folder = settings.VAR_DIR
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Error(
            f"The folder {folder} cannot be written.",
            hint="Give it to the user that runs rarrweb (chown), or set RARR_VAR to another "
            "folder.",
            id="pipeline.E004",
        )
    elif (free := shutil.disk_usage(folder).free) < LEAST_DISK_BYTES:
        yield checks.Warning(
            f"Only {free // 1_000_000} MB are free in {folder}.",
            hint="Free some space, or set RARR_VAR to a folder on a larger disk. A full disk "
            "stops every run and loses uploads.",
            id="pipeline.W001",
        )


def check_public_url(**options: Any) -> Iterator[CheckMessage]:
    url = settings.PUBLIC_URL
    if url.path.strip("/") or url.query or url.fragment:
        yield Error(
            f"PUBLIC_URL={url.geturl()} has a path: rarrweb is served from the top of its host "
            "only.",
            hint=f"Set PUBLIC_URL={url.scheme}://{url.netloc}",
            id="pipeline.E006",
        )
    if is_local(url):
        return
    if url.scheme == "http":
        yield checks.Warning(
            f"PUBLIC_URL={url.geturl()} is not https: passwords and sessions can be read on their "
            "way.",
            hint=f"Put a proxy that ends TLS in front and set PUBLIC_URL=https://{url.netloc} "
            "(docs/deployment.md).",
            id="pipeline.W002",
        )
    if settings.DEBUG:
        yield Error(
            f"RARR_DEBUG is on while PUBLIC_URL={url.geturl()}: errors show the source code to "
            "strangers.",
            hint="Unset RARR_DEBUG.",
            id="pipeline.E005",
        )


ALL = [
    check_backends,
    check_search,
    check_prompts,
    check_llm_settings,
    check_spacy_model,
    check_device,
    check_folders,
    check_public_url,
]
