"""Revising or answering, and scoring, one passage at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from pipeline.backends import is_judge, is_language_model
from pipeline.backends.calls import Call
from pipeline.backends.search_names import SOURCES
from pipeline.backends.searches import MissingSources, PassageSources
from pipeline.backends.work import WorkContext, for_work
from pipeline.engine.answer_scores import AnswerScores, score_cited
from pipeline.engine.auto_ais import Scores, ScoringModels, score
from pipeline.engine.configuration import RunConfig
from pipeline.engine.cost import Cost, Usage, count_usage, measured
from pipeline.engine.language_models import current_prompts, load_language_model
from pipeline.generation.answer_format import check_format
from pipeline.generation.strategies import WITHOUT_SEARCH, load_strategy
from pipeline.generation.tools import Tools
from pipeline.generation.types import Answer, Question
from pipeline.importing.alce import alce_answer
from pipeline.importing.passage import Gold
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components, Decontextualizer, Entailment, ProgressCallback
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import Document, Passage, Report, Revision, RevisionFailed

WARM_UP_PAIR = ("Ada Hart opened the mill in 1852.", "The mill was opened by Bela Moss in 1853.")
"""A pair that every entailment model loads for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result for one passage."""

    revision: Revision
    scores: Scores
    usage: Usage
    calls: tuple[Call, ...] = ()
    """All calls of language models, cached ones too."""
    answer: Answer | None = None
    """A strategy's answer; the revision's passage is then its text, A its sources."""
    answer_scores: AnswerScores | None = None
    """ALCE's figures of an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One configuration over one corpus; see `load_engine`."""

    config: RunConfig
    components: Components
    entailment: Entailment
    decontextualizer: Decontextualizer

    def revise(
        self,
        passage: Passage,
        *,
        sources: Sequence[Document] = (),
        on_progress: ProgressCallback | None = None,
        work: WorkContext | None = None,
    ) -> Outcome:
        """Research, revise and score one passage; `sources` are its own, for that search only.

        Raises `MissingSources`, `RevisionFailed` for fatal errors, `UnreadableReply` of a scoring
        model, `RefusedPrompt`, `TransientError`, `BudgetSpent`, `BadConfig`, the search's error,
        and `ValueError` for an inconsistent revision.
        """
        system = load_system(self.config.system)
        if not sources and self.config.searches_passage_sources:
            raise MissingSources(
                "The passage came without the text of any source, and nothing else is searched "
                "(search=sources). Import it with its sources, or search a corpus."
            )
        work = work or WorkContext()
        bound = self._for_work(work)
        with measured(work.calls) as cost:
            components, config = bound._bind_sources(sources)
            components = replace(components, on_progress=on_progress)
            revision = system(passage, components=components, config=config)
            if not revision.is_consistent_with(passage):
                raise ValueError(
                    f"the revision by {self.config.system} does not lead from its passage to its "
                    "text, step by step"
                )
            revision = replace(revision, skipped_pages=tuple(work.skipped_pages.values()))
            if revision.fatal_errors:
                raise RevisionFailed(revision)
            scores = score(revision, bound._scoring)
        return self._outcome(cost, count_usage(revision), revision=revision, scores=scores)

    def answer(
        self, question: Question, *, gold: Gold | None = None, work: WorkContext | None = None
    ) -> Outcome:
        """Answer a question by a strategy; `gold` holds ALCE's fields for scoring.

        Raises as `revise`, and `UnreadableReply` of the strategy.
        """
        revised: list[Revision] = []
        work = work or WorkContext()
        with measured(work.calls) as cost:
            answer = self.write_answer(question, on_revision=revised.append, work=work)
            passage = Passage(id=question.id, text=answer.text, context=question.text)
            revision = Revision(
                passage=passage,
                text=answer.text,
                report=Report(evidence=answer.sources),
                skipped_pages=tuple(work.skipped_pages.values()),
            )
            item = alce_answer(
                question=question.text, output=answer.text, sources=answer.sources, gold=gold
            )
            scores, answer_scores = score_cited(
                passage, revision.report, item, self._for_work(work)._scoring
            )
        return self._outcome(
            cost,
            count_usage(revised[0]) if revised else Usage(),
            revision=revision,
            scores=scores,
            answer=answer,
            answer_scores=answer_scores,
        )

    def write_answer(
        self,
        question: Question,
        *,
        on_revision: Callable[[Revision], None] = lambda revision: None,
        work: WorkContext | None = None,
    ) -> Answer:
        """Answer a question without scoring.

        `on_revision` receives RARR's revision. Replies of a failed strategy leave the cache.
        """
        work = work or WorkContext()
        tools = self._for_work(work)._tools(question, on_revision, work)
        try:
            answer = load_strategy(self.config.system)(question, tools=tools)
        except UnreadableReply:
            tools.forget()
            raise
        problems_of_form = check_format(answer.text, sources=len(answer.sources))
        problems = tuple(dict.fromkeys([*answer.record.problems, *problems_of_form]))
        return replace(answer, record=replace(answer.record, problems=problems))

    def load_scorer(self) -> None:
        """Load a local auto-AIS model ahead of use."""
        if not is_judge(self.config.entailment):
            self.entailment.score([WARM_UP_PAIR])

    def _for_work(self, work: WorkContext) -> Self:
        bound = {
            each.name: for_work(getattr(self.components, each.name), work)
            for each in fields(self.components)
        }
        return replace(
            self,
            components=replace(self.components, **bound),
            entailment=for_work(self.entailment, work),
            decontextualizer=for_work(self.decontextualizer, work),
        )

    @property
    def _scoring(self) -> ScoringModels:
        return ScoringModels(self.entailment, self.components.splitter, self.decontextualizer)

    def _outcome(self, cost: Cost, counts: Usage, **results: Any) -> Outcome:
        return Outcome(
            usage=cost.usage(counts, is_asking=self.config.asks_language_model),
            calls=tuple(cost.calls),
            **results,
        )

    def _bind_sources(self, sources: Sequence[Document]) -> tuple[Components, RarrConfig]:
        """Search the passage's own sources, all of them, where the search is of these."""
        config = self.config.rarr
        if self.config.search != SOURCES:
            return self.components, config
        domains = self.config.domains
        permitted = tuple(each for each in sources if domains.permits(each.url))
        return (
            replace(self.components, retriever=PassageSources(documents=permitted)),
            replace(config, documents_per_query=max(config.documents_per_query, len(sources))),
        )

    def _tools(
        self, question: Question, on_revision: Callable[[Revision], None], work: WorkContext
    ) -> Tools:
        documents = [
            Document(id=str(number), title=each.title, url=each.url, text=each.text)
            for number, each in enumerate(question.sources, start=1)
        ]
        is_searching = self.config.search != SOURCES and self.config.system not in WITHOUT_SEARCH
        components, config = self._bind_sources(documents)
        rarr = load_system("rarr")
        asks = is_language_model(self.config.llm)

        def revise(passage: Passage) -> Revision:
            revision = rarr(passage, components=components, config=config)
            on_revision(revision)
            return revision

        return Tools(
            config=self.config.generation,
            splitter=components.splitter,
            relevance=components.relevance,
            entailment=self.entailment,
            retriever=components.retriever if is_searching else None,
            model=load_language_model(self.config.llm).for_work(work).for_step if asks else None,
            prompts=current_prompts() if asks else None,
            decontextualizer=self.decontextualizer,
            count_reply=work.replies.count,
            revise=revise,
        )
