"""The tests' Celery application, whose clock is as many seconds ahead as the file FAULT_CLOCK says.

libfaketime would move the clock of the whole process, but neither gunicorn nor Python's `sleep` of
3.11 runs under it. The product asks Django for the time wherever it writes or compares one.
"""

import os
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from tests.support.worker_app import app

__all__ = ["app"]

_now = timezone.now


def now() -> datetime:
    return _now() + timedelta(seconds=float(Path(os.environ["FAULT_CLOCK"]).read_text() or 0))


timezone.now = now
