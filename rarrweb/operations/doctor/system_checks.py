"""System checks of settings, with fixes. They use no servers or models: `doctor` does."""

import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from pipeline.rarr.errors import BadConfig
from rarrweb.web.addresses import is_local

LEAST_DISK_BYTES = 1_000_000_000
DEVICE = re.compile(r"auto|cpu|cuda(:\d+)?|mps")


def check_settings(**options: Any) -> list[CheckMessage]:
    """Check models, prompts and searches as a run would."""
    from pipeline.engine import language_models, search

    faults = {}  # a fault of the prompts is also one of the configuration
    readers = (language_models.llm_options, language_models.current_prompts, search.check_settings)
    for read in readers:
        try:
            read()
        except BadConfig as error:
            setting = f"RARR_{error.field.upper()}: " if error.field else ""
            faults[str(error)] = f"{setting}{error}"
    hint = "See docs/configuration.md, and docs/language-models.md for RARR_PROMPTS."
    return [Error(fault, hint=hint, id="pipeline.E001") for fault in faults.values()]


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
            "(docs/operations.md).",
            id="pipeline.W002",
        )
    if settings.DEBUG:
        yield Error(
            f"RARR_DEBUG is on while PUBLIC_URL={url.geturl()}: errors show the source code to "
            "strangers.",
            hint="Unset RARR_DEBUG.",
            id="pipeline.E005",
        )


ALL = [check_settings, check_device, check_folders, check_public_url]
