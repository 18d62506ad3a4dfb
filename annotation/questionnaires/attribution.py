"""Attribution, by sentence: appendix C.2 and Figure 11 of the paper."""

from dataclasses import replace

from annotation.questionnaires.types import (
    HAS_EVIDENCE,
    Criterion,
    Level,
    Option,
    Questionnaire,
    yes_or_no,
)

PARTLY = Level(value=2, label="partly attributable", mark="◐", tone="partly")
"""2, so that 1 and 0 mean the same in every campaign."""

INTERPRETABLE = Criterion(
    name="interpretable",
    targets="sentences",
    noun="sentence",
    question="can be understood",
    is_required=True,
    levels=(
        Level(value=0, label="unclear, cannot be understood", mark="⁇", tone="unclear"),
        Level(value=1, label="can be understood", mark="✓", tone="yes"),
    ),
    unset="not judged",
)
"""The first of two stages; the page saves 1 with each answer about attribution."""


def _with_partly(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    return tuple(
        replace(each, levels=(each.levels[0], PARTLY, each.levels[-1]), is_ordinal=True)
        if each.name == "attributable"
        else each
        for each in criteria
    )


def _with_ratings(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    return tuple(replace(each, is_required=True) for each in criteria)


def _in_two_stages(criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    return (
        INTERPRETABLE,
        *(
            replace(each, unless=(INTERPRETABLE.name, 0), question="attributable")
            if each.name == "attributable"
            else each
            for each in criteria
        ),
    )


ATTRIBUTION = Questionnaire(
    name="attribution",
    title="Attribution",
    summary="is each sentence supported by the evidence?",
    does=(
        "You read passages beside the evidence that was found for them, and decide for each "
        "sentence whether the evidence supports all of it."
    ),
    question=(
        "Is all of the information provided by each sentence fully supported by at least one piece "
        "of evidence?"
    ),
    template="annotation/attribution/task.html",
    keys=(
        ("↓ J", "next sentence"),
        ("↑ K", "previous sentence"),
        ("1", "fully attributable"),
        ("2", "not attributable"),
        ("0", "not judged: take the answer back"),
        ("Space", "what a click does: fully attributable, not attributable, not judged"),
        ("G", "next sentence that is not judged"),
        ("E", "to the evidence; again: back to the sentence"),
        ("[", "previous evidence"),
        ("]", "next evidence"),
        ("U", "evidence useful; again: take it back"),
        ("N", "evidence not useful; again: take it back"),
    ),
    criteria=(
        Criterion(
            name="attributable",
            targets="sentences",
            noun="sentence",
            is_required=True,
            levels=yes_or_no("fully attributable", "not attributable"),
            unset="not judged",
        ),
        Criterion(
            name="useful",
            targets="evidence",
            noun="evidence",
            is_required=False,
            is_aid=True,
            levels=(
                Level(value=0, label="not useful", mark="▽"),
                Level(value=1, label="useful", mark="▲", tone="yes"),
            ),
            unset="not rated",
        ),
    ),
    result_criterion="attributable",
    figures="",  # Attr_AIS
    needs=(HAS_EVIDENCE,),
    options=(
        Option(
            name="rate_evidence",
            label="Every piece of evidence is rated, as in the RARR paper",
            help="Without it, raters may leave pieces unrated.",
            change=_with_ratings,
            is_default=True,
        ),
        Option(
            name="partly",
            label="Partly attributable, as a level between fully and not",
            help=(
                "It counts as not attributable in every figure and label; their number is next to "
                "the figures, and reliability has an ordinal alpha."
            ),
            change=_with_partly,
            keys=(("3", "partly attributable"),),
            guidelines="attribution_partly.md",
        ),
        Option(
            name="two_stages",
            label="Cannot be understood, as a first stage",
            help=(
                "AIS’s two stages: a sentence that cannot be understood is asked nothing more and "
                "counts as not attributable; the first stage has its own reliability."
            ),
            change=_in_two_stages,
            keys=(("4", "unclear, cannot be understood"),),
            guidelines="attribution_two_stages.md",
        ),
    ),
)
