"""The strategies of one prompt, and the one of none: what is shown, what comes back."""

import inspect

import pytest

from pipeline.generation.prompts import LIGHT
from pipeline.generation.strategies import STRATEGIES, load_strategy
from pipeline.generation.types import GenerationConfig, NoDraft, NoQuestion, NoSources
from pipeline.rarr.errors import BadConfig, RarrError, UnreadableReply
from pipeline.rarr.systems import docstring_summary
from pipeline.rarr.types import Document
from pipeline.runs.failures import failure_advice
from pipeline.text.sentences import split_sentences
from tests.support.answer_script import DRAFT, QUESTION, WRITTEN
from tests.support.strategy_tools import Script, brought, make_tools, run


def test_vanilla_shows_the_best_passages_by_their_numbers() -> None:
    script = Script()
    written = run("vanilla", script)
    assert written.text == WRITTEN
    assert [each.title for each in written.sources] == ["Marlow Hall", "Denby Mill"]
    (prompt,) = script.prompts
    last = prompt.text.rsplit("\n\n", 1)[-1]
    assert f"Question: {QUESTION}\n" in last
    assert "\n[1] (Marlow Hall) Marlow Hall is a concert hall" in last
    assert "\n[2] (Denby Mill) Denby Mill is" in last
    assert (prompt.temperature, prompt.max_tokens, script.steps) == (0.5, 300, ["answer"])
    script = Script()
    config = GenerationConfig(passages=1, top_p=0.95)
    assert len(run("vanilla", script, config=config).sources) == 1
    assert (prompt.top_p, script.prompts[0].top_p) == (1, 0.95)
    assert "[2] (Denby Mill)" not in script.prompts[0].text
    with pytest.raises(UnreadableReply, match="The reply is empty"):
        run("vanilla", Script("  "))


def prompt_of(**settings: object) -> str:
    script = Script()
    run("vanilla", script, config=GenerationConfig(**settings))  # type: ignore[arg-type]
    return str(script.prompts[0].text)


def test_demonstrations_are_drawn_by_a_seed() -> None:
    both = prompt_of()
    one, two = (f"\nQuestion: {word}" for word in ("who discovered", "which countries"))
    assert both.index(one) < both.index(two)
    assert prompt_of(demonstrations=9, demonstration_seed=7) == both
    none = prompt_of(demonstrations=0)
    assert none.count("\nQuestion: ") == 1
    assert none.startswith("Answer each question in three")
    drawn = [prompt_of(demonstrations=1, demonstration_seed=seed) for seed in range(8)]
    assert {(one in text, two in text) for text in drawn} == {(True, False), (False, True)}
    assert drawn[3] == prompt_of(demonstrations=1, demonstration_seed=3)
    assert all(len(none) < len(text) < len(both) for text in drawn)


def test_the_light_instruction_is_a_sentence_before_the_same_demonstrations() -> None:
    full, light = prompt_of(), prompt_of(instruction="light")
    instruction, blank, rest = light.partition("\n\n")
    assert instruction == LIGHT["cited_answer"]
    assert full.endswith(blank + rest)


@pytest.mark.parametrize(
    ("question", "displayed"),
    [
        ({"is_list": True}, "list of names"),
        (
            {"text": "User: What is Marlow Hall?\n\nSystem: A hall.\nUser: How big?"},
            "Question: (the last turn of this dialog)\nUser: What is Marlow Hall?\nSystem: A "
            "hall.\nUser: How big?\nPassages:\n(none)\n",
        ),
    ],
)
def test_lists_and_dialogs_have_their_form(question: dict[str, object], displayed: str) -> None:
    script = Script("Marlow Hall [1], Denby Mill [2].")
    run("vanilla", script, **question)
    assert displayed in script.prompts[0].text


def test_a_closed_book_shows_nothing_and_cites_nothing() -> None:
    script = Script()
    written = run("closed-book", script)
    assert (written.text, written.sources) == (DRAFT, ())
    assert "Denby" not in script.prompts[0].text
    assert script.steps == ["draft"]


def test_extractive_cites_sentences_of_the_passages_without_a_model() -> None:
    script = Script()
    assert run("extractive", script).text == (
        "Marlow Hall is a concert hall in Denby [1]. It opened in 1904 [1]. It has 812 seats [1]."
    )
    assert not script.prompts


@pytest.mark.parametrize(
    ("strategy", "text"),
    [
        ("top-passage", "It rose [1]. It fell in 1904 [1]. It stayed [1]."),
        ("top-sentences", "It rose [1]. It fell in 1904 [1]."),
    ],
)
def test_shortcuts_quote_the_best_passage_alone_without_a_model(strategy: str, text: str) -> None:
    script = Script()
    texts = ("It rose. It fell in 1904 [7].\nIt stayed", "It sank.")
    sources = brought(*(Document(id=each, title="", url="", text=each) for each in texts))
    tools = make_tools(script, retriever=None, splitter=split_sentences)
    written = run(strategy, tools=tools, sources=sources)
    assert (written.text, written.sources) == (text, sources[:1])
    assert not script.prompts


def test_each_strategy_has_a_summary_and_an_unknown_one_is_refused() -> None:
    for name in STRATEGIES:
        text = docstring_summary(inspect.getmodule(load_strategy(name)))
        assert text.endswith(".")
        assert "`" not in text
    with pytest.raises(BadConfig, match="'rarrr' is no strategy: choose one of vanilla"):
        load_strategy("rarrr")


@pytest.mark.parametrize("error", [NoDraft, NoQuestion, NoSources])
def test_what_a_passage_lacks_is_reported_with_what_to_import(error: type[RarrError]) -> None:
    assert "Import" in failure_advice(error.__name__)
