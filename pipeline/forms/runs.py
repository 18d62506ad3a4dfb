"""The form of new runs."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from django import forms
from django.conf import settings
from django.db.models import QuerySet

from pipeline.backends import FOLLOWS_LLM, LLM_STEPS, is_language_model
from pipeline.backends.search_names import CORPUS, SOURCES, needs_corpus
from pipeline.engine.configuration import BUDGETS, RunConfig, needs_model
from pipeline.generation.strategies import STRATEGIES, load_strategy
from pipeline.generation.types import (
    ANSWER_TYPES,
    ClaimRecall,
    Compression,
    GenerationConfig,
    Instruction,
    SearchIn,
)
from pipeline.models import Corpus, Dataset, Run
from pipeline.rarr.configuration import RarrConfig, ReportFill
from pipeline.rarr.systems import SYSTEMS, docstring_summary, load_system
from pipeline.runs.user_settings import DOMAINS, MOST_ANSWERS, allowed_values, configs_of
from rarrweb.accounts.models import User

HYPER_PARAMETERS = {
    "query_samples": ("Query samples", "Times that questions are generated."),
    "query_temperature": ("Query temperature", "compact ignores it."),
    "documents_per_query": ("Documents per query (K)", "Pages kept from each search."),
    "window_sentences": ("Window size", "Sentences in a snippet of evidence."),
    "window_stride": ("Window stride", "Sentences from one window to the next."),
    "evidence_per_query": ("Evidence per query (J)", "Snippets kept for each question."),
    "max_edit_characters": ("Longest edit", "In characters; longer edits are rejected."),
    "max_edit_ratio": ("Longest edit, share", "As a share of the passage."),
    "report_size": ("Report size (M)", "Snippets in the attribution report, at most."),
    "report_fill": ("Report", "smallest: as the paper; full: M snippets, as the public program."),
}
"""Settings of `RarrConfig` for all models: label and help text."""
TEMPERATURES = {
    "gate_temperature": ("Gate temperature", "Of the agreement model."),
    "edit_temperature": ("Edit temperature", "Of the edit model."),
}
"""Settings of `RarrConfig` for language models only."""
ANSWERING = {
    "passages": ("Passages shown (k)", "Sources to answer from and cite."),
    "retrieved": ("Passages ranked", "Retrieval recall is measured on these."),
    "passage_words": ("Words per passage", "Documents are cut to this length."),
    "documents": ("Documents searched", "Before they are cut into passages."),
    "answer_temperature": ("Answer temperature", "0 gives the same answer each time."),
    "top_p": ("Top p", "1 samples from all words."),
    "demonstrations": ("Demonstrations", "In a prompt, at most."),
    "demonstration_seed": ("Seed of demonstrations", "Draws them where a file has more."),
    "instruction": ("Instruction", "light is a single sentence."),
    "answer_tokens": ("Longest answer", "In tokens; the rest is cut off."),
    "answer_samples": ("Answers compared", "rerank keeps the best cited."),
    "compressed_passages": ("Passages compressed", "Into summaries or snippets."),
    "compressed_to": ("Compressed to", "What interact shows first."),
    "turns": ("Most steps", "Of one answer."),
    "claim_recall": ("Recall of claims", "on: an NLI decision for each claim and passage."),
    "search_in": ("Where inline-search looks", "In the passages found, or in everything."),
}
"""Settings of `GenerationConfig` for users."""
CHOICES = {
    "compressed_to": get_args(Compression),
    "search_in": get_args(SearchIn),
    "instruction": get_args(Instruction),
    "claim_recall": get_args(ClaimRecall),
    "report_fill": get_args(ReportFill),
}


def setting_fields() -> dict[str, forms.Field]:
    """Return a field for each setting, initially the paper's value."""
    paper, alce = RarrConfig(), GenerationConfig()
    return {
        **_fields(HYPER_PARAMETERS, paper, required=True),
        **_fields(TEMPERATURES, paper, required=False),
        **_fields(ANSWERING, alce, required=False),
    }


def _fields(
    table: Mapping[str, tuple[str, str]], defaults: object, *, required: bool
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
            help_text=f"{help_text} Default: {default}.",
            widget=forms.NumberInput(attrs={"step": 1 if whole else "any"}),
            **shared,
        )
    return result


OF_THE_RUN = ("dataset", "corpus", "system")
"""Fields that are not settings."""
PROMPTING = ("contextual_prompts", *TEMPERATURES)
MODELS = (*LLM_STEPS, "decontextualizer")
OF_LANGUAGE_MODELS = {*PROMPTING, *MODELS, *BUDGETS}
COMMON = ("rarr", "efec", "none", "rarr-no-agreement")
"""The systems that the page offers first."""
_REVISING = (*SYSTEMS, "closed-book-rarr")
_QUERYING = tuple(name for name in _REVISING if name not in {"efec", "lamda-research"})
_EDITING = tuple(name for name in _QUERYING if name != "none")
_ASKING = tuple(filter(needs_model, STRATEGIES))
OPTIONS: dict[str, Sequence[str]] = {
    **dict.fromkeys((*HYPER_PARAMETERS, *PROMPTING), _REVISING),
    **dict.fromkeys(ANSWERING, tuple(STRATEGIES)),
    **dict.fromkeys(
        (
            "answer_temperature",
            "top_p",
            "answer_tokens",
            "answers_per_question",
        ),
        _ASKING,
    ),
    **dict.fromkeys(
        ("demonstrations", "demonstration_seed"),
        tuple(name for name in _ASKING if name != "hagrid"),
    ),
    "instruction": ("vanilla", "summ", "snippet", "rerank", "oracle"),
    "answer_types": ("hagrid",),
    "answer_samples": ("rerank",),
    "compressed_passages": ("summ", "snippet", "interact"),
    "compressed_to": ("interact",),
    "turns": ("interact", "inline-search"),
    "search_in": ("inline-search",),
    "llm_queries": _QUERYING,
    **dict.fromkeys(("llm_agreement", "llm_edit"), _EDITING),
    **dict.fromkeys(
        ("llm_decontextualize", "decontextualizer", *DOMAINS, *BUDGETS), (*SYSTEMS, *STRATEGIES)
    ),
}
"""The optional fields in the page's order, with the systems that use each."""


class SystemChoice(NamedTuple):
    name: str
    summary: str
    is_chosen: bool


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
    dataset = DatasetChoice(
        Dataset.objects.none(), to_field_name="slug", empty_label="Choose a dataset"
    )
    corpus = CorpusChoice(
        Corpus.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label="The passages’ own sources",
        label="Evidence from",
    )
    search = forms.ChoiceField(required=False, choices=[], label="Evidence from")
    """Instead of `corpus` where this installation searches none."""
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
        help_text="Each is a run of its own.",
    )

    answer_types = forms.MultipleChoiceField(
        required=False,
        choices=[(name, name) for name in ANSWER_TYPES],
        initial=ANSWER_TYPES[:1],
        widget=forms.CheckboxSelectMultiple,
        label="Answers by hagrid",
        help_text="Each is a run of its own.",
    )

    domains_excluded = forms.CharField(
        required=False,
        max_length=2_000,
        label="Excluded domains",
        help_text="Never used as evidence, with their subdomains. Example: wikipedia.org.",
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
        help_text="When the language model reads it. Short answers need any.",
    )
    llm_queries = forms.ChoiceField(required=False, label="Model for queries")
    llm_agreement = forms.ChoiceField(required=False, label="Model for the agreement gate")
    llm_edit = forms.ChoiceField(required=False, label="Model for edits")
    llm_decontextualize = forms.ChoiceField(required=False, label="Model for decontextualization")
    decontextualizer = forms.ChoiceField(
        required=False,
        label="Decontextualization model",
        help_text="Rewrites each sentence before auto-AIS scores it.",
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        for name in (*DOMAINS, *MODELS, "contextual_prompts", "search"):
            fields[name].initial = getattr(settings, f"RARR_{name.upper()}")
        allowed = allowed_values()
        for setting in LLM_STEPS:
            fields[setting].choices = [
                (name, settings.RARR_LLM if name == FOLLOWS_LLM else name)
                for name in allowed[setting]
            ]
        names = {"llm": "llm: the model above", "compact": "compact: by rule"}
        fields["decontextualizer"].choices = [
            (name, names.get(name, name)) for name in allowed["decontextualizer"]
        ]
        datasets = Dataset.objects.visible_to(user).current()
        corpora = Corpus.objects.visible_to(user).current()
        fields["dataset"].queryset = datasets.order_by("name")
        fields["corpus"].queryset = corpora.order_by("name")
        # The newest are probably those that the user has just uploaded.
        fields["dataset"].initial = _newest(datasets.filter(is_complete=True))
        fields["corpus"].initial = _newest(corpora.filter(state=Corpus.State.READY))
        if needs_corpus(settings.RARR_SEARCH):
            del fields["search"]
            if self.searches_web:
                fields["corpus"].label = "Evidence from the web and"
        else:
            del fields["corpus"]
            fields["search"].choices = [
                (name, "The passages’ own sources" if name == SOURCES else "The web")
                for name in allowed["search"]
            ]

    @property
    def evidence(self) -> forms.BoundField:
        return self["corpus" if "corpus" in self.fields else "search"]

    def common(self) -> Iterator[SystemChoice]:
        return self._choices(COMMON)

    def variants(self) -> Iterator[SystemChoice]:
        return self._choices(name for name in SYSTEMS if name not in COMMON)

    def strategies(self) -> Iterator[SystemChoice]:
        return self._choices(STRATEGIES)

    def _choices(self, names: Iterable[str]) -> Iterator[SystemChoice]:
        chosen = self["system"].value() or []
        for name in filter(self._can_run, names):
            writes = name in STRATEGIES
            documented = inspect.getmodule(load_strategy(name)) if writes else load_system(name)
            yield SystemChoice(name, docstring_summary(documented), name in chosen)

    def _can_run(self, system: str) -> bool:
        return self.has_language_model or not needs_model(system)

    @property
    def unavailable(self) -> int:
        """The number of systems that need a language model, if there is none."""
        return sum(not self._can_run(name) for name in (*SYSTEMS, *STRATEGIES))

    @property
    def has_uncommon_choice(self) -> bool:
        return any(name not in COMMON for name in self["system"].value() or [])

    def options(self) -> Iterator[tuple[forms.BoundField, str]]:
        """Yield the fields that this installation can use, with the systems of each."""
        unused = set() if self.uses_language_model else OF_LANGUAGE_MODELS
        for name, systems in OPTIONS.items():
            if name not in unused and any(map(self._can_run, systems)):
                yield self[name], " ".join(systems)

    @property
    def has_changed_option(self) -> bool:
        return any(
            field.errors or str(field.value() or "") != str(field.field.initial or "")
            for field, _ in self.options()
        )

    @property
    def searches_web(self) -> bool:
        return settings.RARR_SEARCH not in {CORPUS, SOURCES}

    @property
    def has_language_model(self) -> bool:
        return is_language_model(settings.RARR_LLM)

    @property
    def uses_language_model(self) -> bool:
        """Also where only auto-AIS asks one."""
        return RunConfig.from_settings().asks_language_model

    def configs(self) -> list[RunConfig]:
        """Return a configuration for each run; raises `BadConfig`."""
        chosen = {
            name: value
            for name, value in self.cleaned_data.items()
            if name not in OF_THE_RUN and (name in DOMAINS or value not in ("", None, []))
        }
        if "corpus" in self.fields and not self.cleaned_data["corpus"]:
            chosen["search"] = SOURCES
        return configs_of(systems=self.cleaned_data["system"], chosen=chosen)


NewRunForm.base_fields.update(setting_fields())


def values_of(run: Run) -> dict[str, Any]:
    """Return the form's values to repeat a run."""
    config: Mapping[str, Any] = run.config
    searched = run.corpus or run.searches_passage_sources
    names = ("search", *PROMPTING, *MODELS, *DOMAINS, *BUDGETS)
    return {
        "dataset": run.dataset.slug,
        **({"corpus": run.corpus.slug if run.corpus else ""} if searched else {}),
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
