"""The training files as groups: what is kept back stays out, and every place is what it says."""

from collections import Counter
from pathlib import Path

import pytest

from pipeline.backends.compact.training.calibration_split import is_kept_back
from pipeline.backends.compact.training.groups import Group
from pipeline.backends.compact.training.premise_context import MOST_HYPOTHESES
from pipeline.backends.compact.training.sources import SOURCES, epoch
from pipeline.backends.compact.training.texts import untokenised
from tests.pipeline.backends.compact.training.made_data import make_data, mill

WANTED = ("hidden", "swapped", "joined", "relevant True", "relevant False")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_data(tmp_path_factory.mktemp("data") / "d", count=30)


@pytest.fixture(scope="module")
def groups(data: Path) -> list[Group]:
    return epoch(data, seed=1)


def test_every_source_is_read(groups: list[Group]) -> None:
    found = Counter(group.source.removesuffix(" dropped") for group in groups)
    # The same pair in two files is learnt from once.
    assert found["nli_fever_dev"] > 0
    assert found["questions"] > 0
    assert found["nli_fever_symmetric"] == 0
    assert {"attribution_q2_wow", "nli_cad_nli"} <= {source.name for source in SOURCES}


def test_what_is_kept_back_is_never_the_premise(groups: list[Group]) -> None:
    kept = [mill(n)[0] for n in range(60) if is_kept_back(mill(n)[0])]
    assert kept
    own = [g for g in groups if g.hypotheses and not g.source.endswith("dropped")]
    for group in own:
        assert not any(group.premise[group.begins :].startswith(premise) for premise in kept)


def test_answers_swaps_and_masks_are_where_they_say(groups: list[Group]) -> None:
    kinds: Counter[str] = Counter()
    for group in groups:
        assert 0 < len(group.hypotheses) <= MOST_HYPOTHESES
        for h in group.hypotheses:
            for start, end in h.answers:
                assert group.premise[start:end].strip() == group.premise[start:end] != ""
            if h.answers and h.mask and h.mask[0] < h.mask[1]:
                hidden = h.text[slice(*h.mask)].lower()
                assert hidden in {group.premise[s:e].lower() for s, e in h.answers}
                kinds["hidden"] += 1
            if h.beaten_by is not None:
                sound = group.hypotheses[h.beaten_by]
                assert sound.label in {"entailment", "supported"}
                if not h.wrong:
                    # The sound sentence joined to one that the premise does not say.
                    assert sound.text.rstrip(" .") in h.text
                    assert h.missing
                    kinds["joined"] += 1
                    continue
                ((start, end),) = h.wrong
                assert sound.text.startswith(h.text[:start])
                assert sound.text.endswith(h.text[end:])
                kinds["swapped"] += 1
            kinds[f"relevant {h.relevant}"] += 1
    assert min(kinds[k] for k in WANTED) > 5


def test_a_dropped_sentence_leaves_nothing_entailed(groups: list[Group]) -> None:
    dropped = [g for g in groups if g.source.endswith("dropped")]
    assert dropped
    assert {h.label for g in dropped for h in g.hypotheses} <= {"neutral", None}
    assert not any(h.answers for g in dropped for h in g.hypotheses)


def test_a_pass_can_be_made_again_and_the_next_is_another(data: Path, groups: list[Group]) -> None:
    assert epoch(data, seed=1) == groups
    assert epoch(data, seed=2) != groups


def test_spaces_before_marks_go() -> None:
    assert untokenised("the film , set in 1902 ( or so ) , is Berg 's") == (
        "the film, set in 1902 (or so), is Berg's"
    )
