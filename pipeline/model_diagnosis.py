"""What `manage.py doctor` looks at of the models: that they serve, and are the measured ones."""

from django.conf import settings

from pipeline.findings import MANAGE, Finding, fine, note, wrong


def check_backends() -> Finding:
    """The programs behind the RARR_… names can be imported, and a model by name can serve."""
    from pipeline.backends import SETTINGS, backend, is_language_model, kinds_of, split_name
    from pipeline.rarr.types import BadConfig

    known: dict[str, str] = {}
    for stem in SETTINGS:
        if stem == "search":
            continue  # `check_search` tries it
        setting = f"RARR_{stem.upper()}"
        name = str(getattr(settings, setting))
        base, _, argument = name.partition(":")
        for kind in kinds_of(stem, name):
            try:
                made = backend(kind, base)
                split_name(name)
                if stem == "llm" and is_language_model(name):
                    known[stem] = name  # `check_language_model` asks it
                    continue
                # A model of somebody else's: its files are looked at, its weights are not loaded.
                known[stem] = f"{name}, {made(argument).describe()}" if argument else name
            except BadConfig as error:
                return wrong(
                    f"{setting}={name!r}: {error}",
                    f"Correct {setting}, then: {MANAGE} check",
                )
            except (ImportError, OSError, AttributeError) as error:
                return wrong(
                    f"{setting}={name!r} cannot be loaded: {error}",
                    "make setup (installs what requirements.txt names)",
                )
    return fine("; ".join(f"{stem} {says}" for stem, says in known.items()))


OWN_MODELS = {"efec_model": "corrector", "decontextualizer": "decontextualizer"}
"""Settings that may name a model of their own in place of the language model's."""


def check_own_models() -> Finding:
    """EFEC's editor and the decontextualiser can serve, where they are models by name."""
    from pipeline.backends import FOLLOWS_LLM, backend, split_name
    from pipeline.rarr.types import BadConfig

    known = []
    for stem, kind in OWN_MODELS.items():
        setting = f"RARR_{stem.upper()}"
        name = str(getattr(settings, setting))
        if name == FOLLOWS_LLM:
            known.append(f"{stem} as llm")
            continue
        try:
            base, argument = split_name(name)
            made = backend(kind, base)
            known.append(f"{stem} {name}" + (f", {made(argument).describe()}" if argument else ""))
        except BadConfig as error:
            return wrong(f"{setting}={name!r}: {error}", f"Correct {setting}, then: {MANAGE} check")
    return fine("; ".join(known))


def check_search() -> Finding:
    """The search engine answers; a corpus is looked at by `check_corpora`."""
    from pipeline.backends.search_names import CORPUS, read_search
    from pipeline.backends.searches import make_engine
    from pipeline.rarr.types import BadConfig, TransientError
    from pipeline.web_search import check_settings, load_web

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


def check_model_card() -> Finding:
    """The figures beside auto-AIS are of the weights that answer."""
    from pipeline.backends.model_cards import (
        CARD,
        UnreadableCard,
        is_of,
        read_card,
        shipped_stamp,
    )
    from pipeline.scorers import headline

    fix = "Install this version again: its weights and its card come together."
    try:
        card = read_card(CARD)
    except UnreadableCard as error:
        return wrong(str(error), fix)
    if card is None:
        return note("none: the pages show auto-AIS without what was measured of it.", fix)
    if not is_of(card, shipped_stamp()):
        return wrong("its figures are of other weights or constants than those installed.", fix)
    return fine(f"version {card.facts.version}, {headline(card)}")


def check_sentences() -> Finding:
    from pipeline.backends.sentences import SpacySplitter
    from pipeline.rarr.types import RarrError

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
