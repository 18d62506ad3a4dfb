"""`rerank`, `oracle` and `hagrid`: which answer, which passages, which form."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.passages import answers_in
from pipeline.generation.strategies.oracle import choose_passages
from pipeline.generation.types import GenerationConfig, NoSources, Question
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.types import Document, Evidence
from tests.support.answer_script import HALL, MILL, WRITTEN
from tests.support.rarr_fakes import Nli
from tests.support.strategy_tools import Script, brought, make_tools, run

WRONG = "Marlow Hall opened in 1904 [2]. It has 812 seats [2]."
HALF = "Marlow Hall opened in 1904. It has 812 seats [1]."


def test_rerank_keeps_the_answer_with_the_best_citation_recall() -> None:
    script = Script([WRONG, HALF, WRITTEN, f"{WRITTEN} "])
    written = run("rerank", script)
    assert (script.prompts[0].samples, script.steps) == (4, ["answer"])
    assert written.text == WRITTEN
    recalls = [each.text.removeprefix("citation recall ")[:4] for each in written.record.steps]
    assert recalls == ["0.00", "0.50", "1.00", "1.00"]
    assert written.record.steps[0].text.endswith(WRONG)


def test_rerank_reads_what_a_statement_cites_and_nothing_else() -> None:
    nli = Nli()
    run("rerank", tools=make_tools(Script([WRONG]), entailment=nli))
    premises = {premise for requests in nli.received for premise, _ in requests}
    assert premises == {f"Title: {MILL.title}\n{MILL.text}"}


def test_of_equal_candidates_the_first_wins_and_an_empty_one_is_none() -> None:
    assert run("rerank", Script(["", WRONG, "Else [2]."])).text == WRONG
    with pytest.raises(UnreadableReply, match="The reply is empty"):
        run("rerank", Script(["", " "]))
    script = Script()
    run("rerank", script, config=GenerationConfig(answer_temperature=0))
    assert script.prompts[0].samples == 1, "all would be equal"


def test_the_entities_of_a_list_are_scored_behind_the_question() -> None:
    nli = Nli()
    script = Script(["Marlow Hall [1], Denby Mill [2]."])
    written = run("rerank", tools=make_tools(script, entailment=nli), is_list=True, text="which?")
    hypotheses = {hypothesis for requests in nli.received for _, hypothesis in requests}
    assert hypotheses <= {"which? Marlow Hall", "which? Denby Mill"}
    assert written.text == "Marlow Hall [1], Denby Mill [2]."


def documents(*texts: str) -> list[Document]:
    return [Document(id=str(n), title="", url="", text=text) for n, text in enumerate(texts)]


def test_an_oracle_shows_the_passages_that_give_most_answers_and_searches_nothing() -> None:
    sources = brought(*documents("nothing", "Ada and Bea", "Ada, Bea too", "Cleo"))
    script = Script()
    written = run(
        "oracle",
        tools=make_tools(script, retriever=None),
        sources=sources,
        short_answers=(("Ada",), ("Bea",), ("Cleo", "C.")),
        config=GenerationConfig(passages=2),
    )
    assert [each.text for each in written.sources][1:] == ["Cleo"]
    assert "Ada" in written.sources[0].text
    assert "\n[2] Cleo\n" in script.prompts[0].text


def chosen_by(question: Question, wanted: int) -> tuple[Evidence, ...]:
    tools = make_tools(config=GenerationConfig(passages=wanted))
    return choose_passages(question, tools=tools)


def test_an_oracle_without_answers_shows_the_first_and_without_sources_fails() -> None:
    sources = brought(*documents("a", "b", "c"))
    question = Question(id="1", text="q", sources=sources)
    assert chosen_by(question, 2) == sources[:2]
    assert chosen_by(question, 9) == sources
    with pytest.raises(NoSources, match="The passage 1 brought no sources"):
        run("oracle", Script())


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=3), min_size=1, max_size=6),
    st.integers(min_value=1, max_value=4),
)
def test_an_oracle_covers_no_less_than_the_first(texts: list[list[str]], wanted: int) -> None:
    sources = brought(*documents(*(" ".join(each) for each in texts)))
    question = Question(
        id="1", text="q", sources=sources, short_answers=tuple((each,) for each in "abcdef")
    )

    def covered(some: tuple) -> int:  # type: ignore[type-arg]
        return len(frozenset().union(*(answers_in(question, some, tools=make_tools()) or ())))

    chosen = chosen_by(question, wanted)
    assert len(chosen) == min(wanted, len(sources))
    assert list(chosen) == [each for each in sources if each in chosen]
    most = max(covered(some) for some in combinations(sources, len(chosen)))
    first = covered(sources[:wanted])
    assert min(first, most) <= covered(chosen) <= most


@pytest.mark.parametrize("kind", ["short", "long"])
def test_hagrid_shows_the_questions_quotes_or_searches_and_checks_the_form(kind: str) -> None:
    script = Script()
    quotes = brought(*documents(*(f"quote {number}" for number in range(7))))
    tools, config = make_tools(script, retriever=None), GenerationConfig(answer_type=kind)
    written = run("hagrid", tools=tools, sources=quotes, config=config)
    assert written.sources == quotes
    assert "\n[7] quote 6\nAnswer:" in script.prompts[0].text
    assert ("in detail" in script.prompts[0].text) == (kind == "long")
    written = run("hagrid", Script(), config=GenerationConfig(passages=1))
    assert [each.title for each in written.sources] == [HALL.title]
    written = run("hagrid", Script("It opened in 1904 [9].\n\nLiterature\n[1] Marlow Hall"))
    assert {"unknown-source", "reference-list"} <= set(written.record.problems)
