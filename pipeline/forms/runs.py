"""The form of new runs."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from pipeline.backends import asks_language_model
from pipeline.backends.search_names import CORPUS, SOURCES, needs_corpus
from pipeline.engine.configuration import BUDGETS, needs_model
from pipeline.generation.strategies import STRATEGIES, load_strategy
from pipeline.generation.types import ANSWER_TYPES, Compression, GenerationConfig, SearchIn
from pipeline.models import Corpus, Dataset, Run
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.systems import SYSTEMS, docstring_summary, load_system
from pipeline.runs.user_settings import DOMAINS, MOST_ANSWERS, allowed_values
from rarrweb.accounts.models import User

HYPER_PARAMETERS = {
    "query_samples": (
        "Query samples",
        "How many times questions are generated; duplicates are dropped.",
    ),
    "query_temperature": (
        "Query temperature",
        "Sampling temperature for questions; the compact models ignore it.",
    ),
    "documents_per_query": ("Documents per query (K)", "Pages kept from each search."),
    "window_sentences": ("Window size, in sentences", "How long a snippet of evidence is."),
    "window_stride": ("Window stride", "Sentences from one window's start to the next one's."),
    "evidence_per_query": ("Evidence per query (J)", "Best snippets kept for each question."),
    "max_edit_characters": (
        "Longest edit, in characters",
        "An edit that changes more characters than this is rejected.",
    ),
    "max_edit_ratio": (
        "Longest edit, as a share of the passage",
        "An edit that changes more than this share of the original's length is rejected.",
    ),
    "report_size": ("Size of the attribution report (M)", "Snippets in the report, at most."),
}
"""Settings of `RarrConfig` for all models: label and help text."""
TEMPERATURES = {
    "gate_temperature": (
        "Gate temperature",
        "Of the agreement model; 0 gives the same verdict each time.",
    ),
    "edit_temperature": ("Edit temperature", "Of the edit model; 0 gives the same edit each time."),
}
"""Settings of `RarrConfig` for language models only."""
ANSWERING = {
    "passages": ("Passages shown (k)", "Sources that the model sees, and may cite."),
    "retrieved": ("Passages ranked", "How many the search returns; recall is of these."),
    "passage_words": ("Words a passage", "Documents are cut to this length."),
    "documents": ("Documents searched", "Taken from the search before they are cut."),
    "answer_temperature": ("Answer temperature", "0 gives the same answer each time."),
    "answer_tokens": ("Longest answer, in tokens", "More is cut off by the model."),
    "answer_samples": ("Samples", "Of rerank: answers among which the best cited is chosen."),
    "compressed_passages": ("Passages compressed", "Of summ, snippet and interact."),
    "compressed_to": ("Compressed to", "What interact shows first."),
    "turns": ("Most steps", "Of interact and inline-search."),
    "search_in": ("Where inline-search looks", "In the passages found, or in everything."),
}
"""Settings of `GenerationConfig` for users."""
CHOICES = {"compressed_to": get_args(Compression), "search_in": get_args(SearchIn)}


def setting_fields() -> dict[str, forms.Field]:
    """Return a field for each setting, initially the paper's value."""
    paper, alce = RarrConfig(), GenerationConfig()
    return {
        **_fields(HYPER_PARAMETERS, paper, source="The paper", required=True),
        **_fields(TEMPERATURES, paper, source="The paper", required=False),
        **_fields(ANSWERING, alce, source="Usual", required=False),
    }


def _fields(
    table: Mapping[str, tuple[str, str]], defaults: object, *, source: str, required: bool
) -> dict[str, forms.Field]:
    result: dict[str, forms.Field] = {}
    for name, (label, help_text) in table.items():
        default = getattr(defaults, name)
        shared: dict[str, Any] = {"label": label, "required": required, "initial": default}
        if name in CHOICES:
            choices = [(each, each) for each in CHOICES[name]]
            result[name] = forms.ChoiceField(choices=choices, help_text=help_text, **shared)
            continue
        whole = isinstance(default, int)
        result[name] = (forms.IntegerField if whole else forms.FloatField)(
            help_text=f"{help_text} {source}: {default}.",
            widget=forms.NumberInput(attrs={"step": 1 if whole else "any"}),
            **shared,
        )
    return result


OF_THE_RUN = ("dataset", "corpus", "system")
"""Fields that are not settings."""
PROMPTING = ("contextual_prompts", *TEMPERATURES)
"""Settings of language models only."""
DECONTEXTUALIZER_CHOICES = {"llm": "llm: follows RARR_LLM", "compact": "compact: by rule"}


class SelectWithoutRequired(forms.Select):
    """Leaves the check to the server."""

    def use_required_attribute(self, initial: Any) -> bool:
        return False


class CorpusChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Corpus) -> str:
        if obj.state == Corpus.State.READY:
            return f"{obj.name} ({obj.document_count:,} documents)"
        return f"{obj.name} ({obj.get_state_display()})"


class DatasetChoice(forms.ModelChoiceField):
    def label_from_instance(self, obj: Dataset) -> str:
        return f"{obj.name} ({obj.passage_count:,} passages)"


class BudgetForm(forms.Form):
    """Empty or 0 means no limit."""

    budget_calls = forms.IntegerField(
        required=False, min_value=0, label="Maximum model calls", help_text="0 means no limit."
    )
    budget_tokens = forms.IntegerField(
        required=False,
        min_value=0,
        label="Maximum tokens",
        help_text="Prompts and answers together. Calls already sent may exceed it.",
    )
    budget_cost = forms.FloatField(
        required=False,
        min_value=0,
        label="Maximum cost",
        help_text="At the prices in RARR_LLM_PRICE_INPUT and RARR_LLM_PRICE_OUTPUT, in their "
        "currency.",
        widget=forms.NumberInput(attrs={"step": "any", "min": 0}),
    )


class NewRunForm(BudgetForm):
    GROUPS: dict[str, Iterable[str]] = {
        "budget": BUDGETS,
        "hyper_parameters": HYPER_PARAMETERS,
        "answering": ANSWERING,
        "prompting": PROMPTING,
        "checking": ("decontextualizer",),
        "domains": DOMAINS,
    }

    dataset = DatasetChoice(
        Dataset.objects.none(),
        to_field_name="slug",
        empty_label="Choose a dataset",
        help_text="Systems revise every passage in it; strategies answer the question that is its "
        "context.",
    )
    corpus = CorpusChoice(
        Corpus.objects.none(),
        to_field_name="slug",
        empty_label="Choose a corpus",
        widget=SelectWithoutRequired,
        help_text="Searched for evidence.",
    )
    search = forms.ChoiceField(
        required=False,
        choices=[],
        label="Evidence from",
        help_text="A passage’s own sources are what came with it: contexts, documents, quotes, "
        "references. No corpus is searched then.",
    )
    system = forms.MultipleChoiceField(
        choices=[(name, name) for name in (*SYSTEMS, *STRATEGIES)],
        initial=["rarr"],
        label="Systems",
        error_messages={"required": "Choose at least one system."},
    )

    answers_per_question = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_ANSWERS,
        initial=1,
        label="Answers per question",
        help_text="Of each strategy that asks a language model. Each further answer is drawn anew "
        "and is a run of its own.",
    )

    answer_types = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in ANSWER_TYPES],
        initial=ANSWER_TYPES[:1],
        widget=forms.CheckboxSelectMultiple,
        label="Answers by hagrid",
        help_text="HAGRID asked for both. Each is a run of its own.",
    )

    domains_excluded = forms.CharField(
        required=False,
        max_length=2_000,
        label="Excluded domains",
        help_text="Never read or used as evidence, including subdomains. Example: wikipedia.org, "
        "example.org.",
    )
    domains_allowed = forms.CharField(
        required=False,
        max_length=2_000,
        label="Allowed domains",
        help_text="If you list any, only these are read.",
    )

    contextual_prompts = forms.ChoiceField(
        required=False,
        choices=[
            ("dialog", "dialog: where it is a dialog (the paper)"),
            ("any", "any: wherever there is one"),
        ],
        label="Context in prompts",
        help_text="When the language model reads the context with the passage. Short answers "
        "that make no sense without their question need any.",
    )
    decontextualizer = forms.ChoiceField(
        required=False,
        choices=[],
        label="Decontextualization model",
        help_text="Rewrites each sentence to stand alone before auto-AIS scores it. Only the "
        "administrator can set another model (RARR_DECONTEXTUALIZER).",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        for name in (*DOMAINS, "decontextualizer", "contextual_prompts", "search"):
            fields[name].initial = getattr(settings, f"RARR_{name.upper()}")
        allowed = allowed_values()
        fields["decontextualizer"].choices = [
            (name, DECONTEXTUALIZER_CHOICES.get(name, name)) for name in allowed["decontextualizer"]
        ]
        datasets = Dataset.objects.visible_to(user).current()
        corpora = Corpus.objects.visible_to(user).current()
        fields["dataset"].queryset = datasets.order_by("name")
        fields["corpus"].queryset = corpora.order_by("name")
        # The newest are probably those that the user has just uploaded.
        fields["dataset"].initial = _newest(datasets.filter(is_complete=True))
        fields["corpus"].initial = _newest(corpora.filter(state=Corpus.State.READY))
        if needs_corpus(settings.RARR_SEARCH):
            fields["corpus"].required = self.data.get("search") != SOURCES
        else:
            del fields["corpus"]
        searched = ["the corpus"] if needs_corpus(settings.RARR_SEARCH) else []
        searched += ["the web"] if self.searches_web else []
        fields["search"].choices = [
            (name, "the passage’s own sources" if name == SOURCES else " and ".join(searched))
            for name in allowed["search"]
        ]

    def systems(self) -> Iterator[tuple[str, str, bool, bool]]:
        """Yield name, summary, is chosen, and can be chosen."""
        return self._choices({name: load_system(name) for name in SYSTEMS})

    def strategies(self) -> Iterator[tuple[str, str, bool, bool]]:
        return self._choices({name: inspect.getmodule(load_strategy(name)) for name in STRATEGIES})

    def _choices(self, documented: Mapping[str, object]) -> Iterator[tuple[str, str, bool, bool]]:
        chosen = self["system"].value() or []
        for name, each in documented.items():
            can_run = self.uses_language_model or not needs_model(name)
            yield name, docstring_summary(each), name in chosen and can_run, can_run

    @property
    def groups(self) -> dict[str, list[forms.BoundField]]:
        return {group: [self[name] for name in names] for group, names in self.GROUPS.items()}

    @property
    def has_domains(self) -> bool:
        return any(name in self.errors or self[name].value() for name in DOMAINS)

    @property
    def open_groups(self) -> set[str]:
        """Return the groups with an error or a changed value."""
        return {
            group
            for group, names in self.GROUPS.items()
            if any(
                name in self.errors
                or str(self[name].value() or "") != str(self.fields[name].initial or "")
                for name in names
            )
        }

    @property
    def searches_web(self) -> bool:
        return settings.RARR_SEARCH not in {CORPUS, SOURCES}

    @property
    def uses_language_model(self) -> bool:
        return asks_language_model(llm=settings.RARR_LLM, entailment=settings.RARR_ENTAILMENT)

    def chosen_settings(self) -> dict[str, Any]:
        """Return the non-empty settings for `configs_of`."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in OF_THE_RUN and (name in DOMAINS or value not in ("", None, []))
        }


NewRunForm.base_fields.update(setting_fields())


def values_of(run: Run) -> dict[str, Any]:
    """Return the form's values to repeat a run."""
    config: Mapping[str, Any] = run.config
    names = ("search", *PROMPTING, "decontextualizer", *DOMAINS, *BUDGETS)
    return {
        "dataset": run.dataset.slug,
        "corpus": run.corpus.slug if run.corpus else "",
        "system": [run.system],
        "answer_types": [config.get("generation", {}).get("answer_type", ANSWER_TYPES[0])],
        **{
            name: value
            for part in ("rarr", "generation")
            for name, value in config.get(part, {}).items()
            if name in {*HYPER_PARAMETERS, *TEMPERATURES, *ANSWERING}
        },
        **{name: config[name] for name in names if name in config},
    }


def _newest(rows: QuerySet[Any]) -> str | None:
    return rows.order_by("-pk").values_list("slug", flat=True).first()
