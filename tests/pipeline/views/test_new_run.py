"""The form that starts runs, with the source of their evidence."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from pytest_django.asserts import assertContains, assertNotContains

from pipeline.engine.configuration import RunConfig
from pipeline.forms.runs import NewRunForm
from pipeline.generation.types import GenerationConfig
from pipeline.models import Corpus, Dataset, Revision, Run
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import BadConfig
from pipeline.runs.user_settings import configs_of
from rarrweb.accounts.models import User
from tests.support.factories import (
    make_corpus,
    make_dataset,
    make_passage,
    make_revision,
    make_run,
)
from tests.support.pages import url_of

pytestmark = pytest.mark.django_db
NEW = reverse("pipeline:new-run")
Form = dict[str, object]
WEB = "searxng:https://searx.example.org"


def test_every_setting_is_an_option_with_its_usual_value(
    researcher: User, settings: Settings
) -> None:
    settings.RARR_LLM = "openai:stub"
    options = {field.name: field.initial for field, _ in NewRunForm(user=researcher).options()}
    for config in (RarrConfig(), GenerationConfig()):
        usual = {name: getattr(config, name) for name in config.__dataclass_fields__}
        expected = {name: usual[name] for name in usual.keys() & options.keys()}
        assert {name: options[name] for name in expected} == expected
        assert usual.keys() - options.keys() <= {"answer_number", "answer_type"}
    assert options["contextual_prompts"] == "dialog"


def test_a_step_may_have_any_model_of_the_installation(
    researcher: User, settings: Settings
) -> None:
    settings.RARR_LLM, settings.RARR_LLM_EDIT = "openai:small", "openai:large"
    fields = {field.name: field for field, _ in NewRunForm(user=researcher).options()}
    choices = [
        ("llm", "openai:small"),
        ("compact", "compact"),
        ("openai:large", "openai:large"),
    ]
    assert fields["llm_queries"].field.choices == choices
    assert (fields["llm_queries"].initial, fields["llm_edit"].initial) == ("llm", "openai:large")
    [config] = configs_of(systems=["rarr"], chosen={"llm_queries": "openai:large"})
    assert config.llm_queries == "openai:large"
    with pytest.raises(BadConfig, match="llm_queries: choose one of llm, compact, openai:large"):
        configs_of(systems=["rarr"], chosen={"llm_queries": "openai:other"})


def test_only_systems_and_options_of_the_installation_are_offered(
    as_researcher: Client, settings: Settings
) -> None:
    page = as_researcher.get(NEW)
    assertContains(page, "10 more systems need a language model: set RARR_LLM.")
    assertContains(page, "compact is a small stand-in that runs offline")
    for name in (
        'value="vanilla"',
        'value="lamda-research"',
        "answer_samples",
        "budget_calls",
        "llm_edit",
    ):
        assertNotContains(page, name)
    assertContains(page, 'value="extractive"')
    settings.RARR_LLM = "openai:stub"
    page = as_researcher.get(NEW)
    for text in ("need a language model", "small stand-in"):
        assertNotContains(page, text)
    for name in (
        'value="vanilla"',
        'value="lamda-research"',
        "answer_samples",
        "budget_calls",
        "llm_edit",
    ):
        assertContains(page, name)


def test_the_button_counts_the_runs_and_estimates_their_time(
    as_researcher: Client, wanted: Form, settings: Settings
) -> None:
    Dataset.objects.update(passage_count=1)
    plan = reverse("pipeline:new-run-plan")
    assertContains(as_researcher.get(plan), "Start run")
    systems = wanted | {"system": ["rarr", "efec"]}
    page = as_researcher.get(plan, systems)
    assertContains(page, "Start 2 runs")
    assertContains(page, "1 passage × 2")
    assertNotContains(page, "about")
    run = make_run(system="efec", config={"llm": "compact"})
    now = timezone.now()
    done = {"state": Revision.State.DONE, "started_at": now}
    # Two at once, in 40 s: 20 s each.
    for seconds in (30, 40):
        make_revision(run, finished_at=now + timedelta(seconds=seconds), **done)
    assertContains(as_researcher.get(plan, systems), "1 passage × 2, about 40 s")
    assertContains(as_researcher.get(plan, wanted | {"system": "efec"}), "1 passage, about 20 s")
    settings.RARR_LLM = "openai:stub"
    assertNotContains(as_researcher.get(plan, systems), "about")
    assertContains(as_researcher.get(plan, wanted | {"report_size": "0"}), "Start run")


def test_the_form_starts_a_run_and_shows_it(
    as_researcher: Client, researcher: User, wanted: Form
) -> None:
    response = as_researcher.post(url_of("new-run"), wanted | {"evidence_per_query": "2"})
    run = Run.objects.get()
    assert response.headers["Location"] == url_of("run", run.pk)
    assert (run.created_by, run.passage_count) == (researcher, 1)
    assert RunConfig.from_plain(run.config).rarr.evidence_per_query == 2


def test_several_systems_start_as_one_group(as_researcher: Client, wanted: Form) -> None:
    systems = ["rarr", "efec", "none"]
    as_researcher.post(url_of("new-run"), wanted | {"system": systems})
    runs = list(Run.objects.order_by("pk"))
    assert [run.system for run in runs] == systems
    assert {run.config["system"] for run in runs} == set(systems)
    assert len({run.group for run in runs}) == 1
    assert runs[0].group


def test_where_one_of_several_systems_or_the_corpus_cannot_be_used_none_starts(
    as_researcher: Client, wanted: Form
) -> None:
    response = as_researcher.post(
        url_of("new-run"), wanted | {"system": ["rarr", "lamda-research"]}
    )
    assertContains(response, "lamda-research needs a language model")
    assertContains(response, '<a href="#id_system">Systems</a>')
    Corpus.objects.update(state=Corpus.State.INDEXING)
    assertContains(as_researcher.post(url_of("new-run"), wanted), "Wait until it is ready")
    assert not Run.objects.exists()


def test_a_run_is_started_again_with_its_configuration(as_researcher: Client, wanted: Form) -> None:
    as_researcher.post(url_of("new-run"), wanted | {"system": "efec", "window_sentences": "6"})
    make_dataset(slug="newer")
    run = Run.objects.get()
    address = url_of("new-run")
    response = as_researcher.get(address, {"run": run.pk, "query_samples": "2"})
    form = response.context["form"]
    filled = {name: form[name].value() for name in ("dataset", "corpus", "system")}
    assert filled == {"dataset": "harbours", "corpus": "guide", "system": ["efec"]}
    assert (form["window_sentences"].value(), form["query_samples"].value()) == (6, "2")
    assertContains(response, "<details open>")
    assert as_researcher.get(address, {"run": run.pk + 1}).status_code == 404


def test_how_a_language_model_is_asked_is_on_the_form_where_there_is_one(
    as_researcher: Client, wanted: Form, settings: Any
) -> None:
    assertNotContains(as_researcher.get(url_of("new-run")), "contextual_prompts")
    settings.RARR_LLM = "openai:stub"
    assertContains(as_researcher.get(url_of("new-run")), 'name="contextual_prompts"')
    given = {"contextual_prompts": "any", "gate_temperature": "0.7", "edit_temperature": ""}
    as_researcher.post(url_of("new-run"), wanted | given)
    config = RunConfig.from_plain(Run.objects.get().config)
    assert config.contextual_prompts == "any"
    assert (config.rarr.gate_temperature, config.rarr.edit_temperature) == (0.7, 0.0)
    again = as_researcher.get(url_of("new-run"), {"run": Run.objects.get().pk}).context["form"]
    assert (again["contextual_prompts"].value(), again["gate_temperature"].value()) == ("any", 0.7)


def test_the_address_or_else_the_last_upload_is_chosen_already(as_researcher: Client) -> None:
    make_dataset(slug="older")
    make_dataset(slug="newer")
    make_corpus(slug="ready", state=Corpus.State.READY)
    make_corpus(slug="unready")
    response = as_researcher.get(url_of("new-run"))
    assertContains(response, '<option value="newer" selected>')
    assertContains(response, '<option value="ready" selected>')
    assertContains(response, '<label for="id_corpus">Evidence from</label>', html=True)
    response = as_researcher.get(url_of("new-run"), {"system": ["efec", "extractive"]})
    assert response.context["form"]["system"].value() == ["efec", "extractive"]
    response = as_researcher.get(url_of("new-run"), {"dataset": "older", "corpus": "unready"})
    assertContains(response, '<option value="older" selected>')
    assertContains(response, '<option value="unready" selected>')


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("query_samples", "0", "query_samples is 0: write 1 or more."),
        ("report_size", "0", "report_size is 0: write 1 or more."),
        ("max_edit_ratio", "-1", "max_edit_ratio is -1.0: write 0 or more."),
        ("window_sentences", "four", "Enter a whole number."),
        ("system", "efec-9000", "Select a valid choice."),
        ("corpus", "atlantis", "Select a valid choice."),
        ("passages", "0", "passages is 0: write 1 or more."),
    ],
)
def test_a_wrong_value_is_named_next_to_its_field(
    as_researcher: Client, wanted: Form, name: str, value: str, expected: str
) -> None:
    make_passage(Dataset.objects.get(), context="When did it open?")
    system = "extractive" if name == "passages" else "rarr"
    response = as_researcher.post(url_of("new-run"), wanted | {"system": system, name: value})
    assert response.status_code == 200
    assert any(expected in error for error in response.context["form"].errors[name])
    assert name in {"system", "corpus"} or "<details open>" in response.text
    assert not Run.objects.exists()


def test_settings_of_strategies_are_theirs_alone_and_stand_again(
    as_researcher: Client, wanted: Form
) -> None:
    make_passage(Dataset.objects.get(), context="When did it open?")
    sent = wanted | {"system": ["rarr", "extractive"], "passages": "2", "passage_words": "40"}
    as_researcher.post(url_of("new-run"), sent)
    rarr, extractive = Run.objects.order_by("pk")
    assert (rarr.system, rarr.config["generation"]["passages"]) == ("rarr", 5)
    assert extractive.config["generation"]["passages"] == 2
    again = as_researcher.get(url_of("new-run"), {"run": extractive.pk})
    assert again.context["form"]["passage_words"].value() == 40
    assert again.context["form"].has_changed_option


def test_with_a_language_model_a_question_gets_several_answers(
    as_researcher: Client, wanted: Form, settings: Any
) -> None:
    settings.RARR_LLM = "openai:stub"
    settings.RARR_LLM_BASE_URL = "http://127.0.0.1:1/v1"
    make_passage(Dataset.objects.get(), context="When did it open?")
    sent = wanted | {"system": ["hagrid", "vanilla"], "answers_per_question": "2"}
    as_researcher.post(url_of("new-run"), sent | {"answer_types": ["short", "long"]})
    names = ("system", "config__generation__answer_type", "config__generation__answer_number")
    answers = (("hagrid", "short"), ("hagrid", "long"), ("vanilla", "short"))
    expected = [(*answer, number) for answer in answers for number in (1, 2)]
    assert list(Run.objects.order_by("pk").values_list(*names)) == expected
    assert len(set(Run.objects.values_list("group", flat=True))) == 1


@pytest.mark.parametrize("domains", ["wikipedia.org", ""])
def test_where_the_web_is_searched_no_corpus_is_asked_for(
    as_researcher: Client, settings: Settings, wanted: Form, domains: str
) -> None:
    settings.RARR_SEARCH = f"corpus+{WEB}"
    assertContains(as_researcher.get(NEW), "Evidence from the web and</label>")
    as_researcher.post(NEW, wanted)
    assert Run.objects.get().searches_web
    settings.RARR_SEARCH = WEB
    settings.RARR_DOMAINS_EXCLUDED = "wiki.example.org"
    page = as_researcher.get(NEW)
    assertContains(page, f'<option value="{WEB}" selected>The web</option>')
    assertContains(page, 'value="wiki.example.org"')
    assertNotContains(page, 'name="corpus"')
    assertNotContains(page, "There is no corpus yet")
    as_researcher.post(NEW, wanted | {"domains_excluded": domains})
    run = Run.objects.latest("pk")
    assert run.corpus is None
    config = RunConfig.from_plain(run.config)
    assert (config.search, config.domains_excluded) == (WEB, domains)


@pytest.mark.parametrize("field", ["domains_excluded", "domains_allowed"])
def test_what_is_no_domain_is_reported_at_its_field(
    as_researcher: Client, wanted: Form, field: str
) -> None:
    page = as_researcher.post(NEW, wanted | {field: "<b>//x"})
    assert "is not a domain: write names such as" in page.context["form"].errors[field][0]
    assertNotContains(page, "<b>//x")
    assert not Run.objects.exists()


def test_every_page_shows_a_run_without_a_corpus(as_researcher: Client) -> None:
    run = make_run()
    Run.objects.update(corpus=None, config=RunConfig(search=WEB).to_plain())
    addresses = [
        reverse("pipeline:runs"),
        reverse("pipeline:run", args=[run.pk]),
        reverse("pipeline:dataset-runs", args=[run.dataset.slug]),
    ]
    for address in addresses:
        assertContains(as_researcher.get(address), "the web")
