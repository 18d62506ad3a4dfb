"""What `manage.py doctor` examines of models and searches: that they serve as a run asks them."""

from collections.abc import Mapping, Sequence
from functools import partial

from django.conf import settings

from pipeline.backends import (
    FOLLOWS_LLM,
    MEASURES,
    SETTINGS,
    backend,
    is_judge,
    kinds_of,
    split_name,
)
from pipeline.backends.compact.text import parsing
from pipeline.doctor.findings import MANAGE, Finding, State, fine, note, wrong
from pipeline.doctor.language_models import ask_server, judge_pairs
from pipeline.rarr.errors import BadConfig, RarrError, TransientError

PREMISE = "The lighthouse on Hale's rock was lit for the first time in 1854. It is 24 metres high."
SUPPORTED = "The lighthouse was first lit in 1854."
ABSURD = "The lighthouse sings to penguins on the moon."
PAIRS = ((PREMISE, SUPPORTED), (PREMISE, ABSURD))
QUERY = "When was the lighthouse first lit?"
OFF_TOPIC = "Bake the bread for forty minutes, until its crust is brown."


def check_backends() -> Finding:
    """The programs behind the RARR_… names can be imported, and a model by name can serve.

    The weights are loaded by `check_entailment` and `check_relevance`; `check_language_model` and
    `check_search` ask the rest.
    """
    stems = [stem for stem in SETTINGS if stem != "search"]
    return _described({stem: kinds_of(stem, _value(stem)) for stem in stems})


def check_own_models() -> Finding:
    """EFEC's editor, the decontextualiser and BERTScore's encoder can serve, if they are models."""
    own = {"efec_model": ("corrector",), "decontextualizer": ("decontextualizer",)}
    return _described({**own, **MEASURES})


def _described(kinds_by_stem: Mapping[str, Sequence[str]]) -> Finding:
    """What stands behind each setting, for its kinds of port; loads no weights."""
    known = []
    for stem, kinds in kinds_by_stem.items():
        setting, name = f"RARR_{stem.upper()}", _value(stem)
        base, _, argument = name.partition(":")
        if name == FOLLOWS_LLM:
            known.append(f"{stem} as llm")
            continue
        try:
            made = [backend(kind, base) for kind in kinds]
            split_name(name)
            # A language model is asked, not described: `check_language_model`, `check_entailment`.
            is_described = argument and kinds != ("language_model",) and not is_judge(name)
            says = f", {made[0](argument).describe()}" if is_described else ""
            known.append(f"{stem} {name}{says}")
        except BadConfig as error:
            return _refused(setting, name, error)
        except (ImportError, OSError, AttributeError) as error:
            return wrong(
                f"{setting}={name!r} cannot be loaded: {error}",
                "make setup (installs what requirements.txt names)",
            )
    return fine("; ".join(known))


def _value(stem: str) -> str:
    return str(getattr(settings, f"RARR_{stem.upper()}"))


def _refused(setting: str, name: str, error: Exception) -> Finding:
    return wrong(f"{setting}={name!r}: {error}", f"Correct {setting}, then: {MANAGE} doctor")


def check_entailment() -> Finding:
    """The entailment model loads, and scores a supported sentence above an absurd one."""
    from pipeline.engine.auto_ais import ATTRIBUTED
    from pipeline.engine.loading import load_entailment

    name = str(settings.RARR_ENTAILMENT)
    how, fix = "", "Correct the order of the labels behind the name in RARR_ENTAILMENT, or choose "
    if is_judge(name):
        asked = ask_server(name, setting="RARR_ENTAILMENT", ask=partial(judge_pairs, pairs=PAIRS))
        if isinstance(asked, Finding):
            return asked
        (answers, how), fix = asked, "Choose "
    else:
        try:
            answers = load_entailment(name).score(PAIRS)
        except RarrError as error:
            return _refused("RARR_ENTAILMENT", name, error)
    supported, absurd = (each.entailed for each in answers)
    finding = _scored(
        f"{name} gives a supported sentence {supported:.3f} and an absurd one {absurd:.3f}{how}",
        is_sound=supported > absurd,
        fix=f"{fix}an NLI model",
    )
    if finding.state is State.FINE and not absurd < ATTRIBUTED <= supported:
        return note(
            f"{finding.says}: both lie on one side of {ATTRIBUTED}, from which on a sentence "
            "counts as attributed.",
            "Try it with sentences of your own (manage.py attribution) before you trust it.",
        )
    return finding


def check_relevance() -> Finding:
    """The relevance model loads, and scores a passage to the point above one that is not."""
    from pipeline.engine.loading import load_model

    name = str(settings.RARR_RELEVANCE)
    try:
        model = load_model("relevance", name)
        relevant, absurd = model.score([(QUERY, PREMISE), (QUERY, OFF_TOPIC)])
    except RarrError as error:
        return _refused("RARR_RELEVANCE", name, error)
    return _scored(
        f"{name} gives a passage that answers {relevant:.3f} and one off the topic {absurd:.3f}",
        is_sound=relevant > absurd,
        fix="Set RARR_RELEVANCE to a cross-encoder that ranks",
    )


def _scored(says: str, *, is_sound: bool, fix: str) -> Finding:
    if is_sound:
        return fine(says)
    return wrong(
        f"{says}: it tells them apart the wrong way round, or not at all.",
        f"{fix}; then: {MANAGE} doctor",
    )


def check_search() -> Finding:
    """The search engine answers; a corpus is looked at by `check_corpora`."""
    from pipeline.backends.search_names import CORPUS, read_search
    from pipeline.backends.searches import make_engine
    from pipeline.engine.search import check_settings, load_web

    name = str(settings.RARR_SEARCH)
    says = []
    try:
        check_settings()
        for part in read_search(name):
            if part.kind == CORPUS:
                says.append("the corpus of each run")
                continue
            hits = make_engine(part, web=load_web()).find("Who wrote Middlemarch?", limit=5)
            if not hits:
                return note(
                    f"{part.kind}:{part.argument} answers, and finds nothing for a plain question.",
                    "Try a search on its own page: its engines may be blocked.",
                )
            says.append(f"{part.kind}:{part.argument} answers, {len(hits)} results for a try")
    except BadConfig as error:
        return wrong(f"RARR_SEARCH={name!r}: {error}", f"Correct it, then: {MANAGE} doctor")
    except TransientError as error:
        return wrong(
            f"RARR_SEARCH={name!r}: {error}",
            "Start the server, or correct its address. Until it answers, runs that search it wait.",
        )
    return fine("; ".join(says))


def check_opensearch() -> Finding:
    """OpenSearch answers, where corpora are indexed there; `check_corpora` looks at the indexes."""
    from pipeline.engine.search import opensearch_server

    try:
        if not (server := opensearch_server()):
            return fine("not set: corpora are indexed on the disk")
        version = server.version()
    except BadConfig as error:
        return wrong(str(error), f"Correct RARR_OPENSEARCH, then: {MANAGE} doctor")
    except RarrError as error:
        return wrong(
            str(error),
            "Start it, or correct RARR_OPENSEARCH. Runs and indexes wait until it answers.",
        )
    if not version.startswith("opensearch "):
        return note(f"{server.url} is {version}.", "Take OpenSearch: nothing else was thought of.")
    return fine(f"{version} at {server.url}")


def check_model_card() -> Finding:
    """The figures beside auto-AIS are of the weights that answer."""
    from pipeline.backends.model_cards import (
        CARD,
        UnreadableCard,
        is_of,
        read_card,
        shipped_stamp,
    )
    from pipeline.engine.scorer_info import headline

    fix = "Install this version again: its weights and its card come together."
    try:
        card = read_card(CARD)
    except UnreadableCard as error:
        return wrong(str(error), fix)
    if card is None:
        return note("none: the pages show auto-AIS without what was measured of it.", fix)
    if not is_of(card, shipped_stamp()):
        if not parsing.is_known():
            return note(
                "its figures were measured with another parser, so the pages show none.",
                "Set RARR_SPACY_MODEL=blank to parse with the one that was measured.",
            )
        return wrong("its figures are of other weights or constants than those installed.", fix)
    return fine(f"version {card.facts.version}, {headline(card)}")


def check_parser() -> Finding:
    """The spaCy pipeline that compact parses with loads, parses, and is the one measured with."""
    which = f"{parsing.name()} {parsing.version()}".strip()
    try:
        parsing.parsed(PREMISE)
    except (RarrError, ImportError) as error:
        says = str(error)
        if "compact" in {_value(stem) for stem in SETTINGS}:
            return wrong(says, f"Do that, then: {MANAGE} doctor")
        return note(says, "No step that is set now needs it: it is compact's.")
    if parsing.is_known():
        return fine(f"{which}, the files that rarrweb was measured with")
    return note(
        f"{which} parses; it is not the pipeline that rarrweb was measured with.",
        "Set RARR_SPACY_MODEL=blank for the one that was.",
    )


def check_sentences() -> Finding:
    from pipeline.backends.sentences import SpacySplitter

    name = settings.RARR_SPACY_MODEL
    text = "The lighthouse was lit in 1854. It stands on Dr. Hale's rock."
    try:
        spans = SpacySplitter(name).split(text)
    except (RarrError, ImportError, OSError) as error:
        return wrong(
            f"spaCy model {name!r}: {error}",
            "Set RARR_SPACY_MODEL=blank, or install the model: "
            f".venv/bin/python -m spacy download {name}",
        )
    if len(spans) != 2:
        return wrong(
            f"the spaCy model {name!r} sees {len(spans)} sentences where there are 2.",
            "Set RARR_SPACY_MODEL=blank, or install a pipeline that splits sentences.",
        )
    return fine(f"spaCy model {name!r} splits them")
