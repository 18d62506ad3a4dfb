"""What people and the NLI model of ALCE's human study decided.

With RARR_DEV_DATA, a folder that has the study's own human_eval_citations_completed.json, these
are the decisions in it. Otherwise they are as many as the published shares ask for.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.metrics.decisions import Decided

FILE = "human_eval_citations_completed.json"
NUMBER = 10_000


class Published(NamedTuple):
    """The paper's figures, in percent but for kappa (section 6 and appendix G.5)."""

    accuracy: float
    kappa: float
    found: float
    """Recall of insufficient, or of irrelevant, citations."""
    right: float
    """Precision of the same."""


RECALL = Published(accuracy=85.1, kappa=0.698, found=82.3, right=84.2)
PRECISION = Published(accuracy=77.6, kappa=0.525, found=75.6, right=66.1)


def decisions(published: Published) -> list[Decided]:
    """Of statements (`RECALL`) or of citations (`PRECISION`)."""
    folder = os.environ.get("RARR_DEV_DATA", "")
    if folder and Path(folder, FILE).exists():
        study = json.loads(Path(folder, FILE).read_text(encoding="utf-8"))
        return list(_of_study(study, citations=published is PRECISION))
    return _of_shares(published)


def _of_shares(published: Published) -> list[Decided]:
    """Three shares leave one table of four counts: kappa is not among what it is made of."""
    wrong = 1 - published.accuracy / 100
    missed, false = 100 / published.found - 1, 100 / published.right - 1
    both_no = wrong / (missed + false)
    shares = {
        (False, False): both_no,
        (False, True): both_no * missed,
        (True, False): both_no * false,
        (True, True): 1 - both_no - wrong,
    }
    found: list[Decided] = []
    for (people, automatic), share in shares.items():
        for _ in range(round(share * NUMBER)):
            found.append(Decided(people=people, automatic=automatic, cluster=len(found) // 5))
    return found


def _of_study(study: dict[str, Any], *, citations: bool) -> Iterator[Decided]:
    answers = [
        item
        for of_dataset in study.values()
        for of_run in of_dataset.values()
        for key, item in of_run.items()
        if key != "overall_results"
    ]
    for cluster, item in enumerate(answers):
        for place, sentence in enumerate(item["sentences"]):
            supported = sentence["sentence_recall_score"] == 1
            entailed = item["automatic_recall_scores"][place] == 1
            if not citations:
                yield Decided(people=supported, automatic=entailed, cluster=cluster)
                continue
            scores = item["automatic_citation_precision_scores"][place]
            for citation, score in zip(sentence["citations"], scores, strict=True):
                yield Decided(
                    people=supported and citation["citation_precision_score"] >= 1,
                    automatic=entailed and score >= 1,
                    cluster=cluster,
                )
