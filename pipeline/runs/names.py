"""Names of compared runs."""

from collections import Counter
from collections.abc import Iterable

from pipeline.models import Run


def short_names(runs: Iterable[Run]) -> dict[int, str]:
    """Return system by run id, with number and dataset only if needed."""
    known = {run.pk: run for run in runs}
    same = Counter((run.system, run.dataset_id) for run in known.values())
    several = len({run.dataset_id for run in known.values()}) > 1
    return {
        key: ", ".join(
            filter(None, [
                run.system
                if same[run.system, run.dataset_id] == 1
                else (f"{run.system}, run {key}"),
                run.dataset.name if several else "",
            ])
        )
        for key, run in known.items()
    }  # fmt: skip
