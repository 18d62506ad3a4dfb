"""A configuration made to work, one passage at a time: revised or answered, and scored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from pipeline.backends import is_judge, is_language_model
from pipeline.backends.calls import Call
from pipeline.backends.own_sources import NoOwnSources, OwnSources
from pipeline.backends.search_names import SOURCES
from pipeline.backends.web.domains import Domains
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
from pipeline.importing.gold import alce_answer
from pipeline.rarr.configuration import RarrConfig
from pipeline.rarr.errors import UnreadableReply
from pipeline.rarr.ports import Components, Decontextualizer, Entailment, ProgressCallback
from pipeline.rarr.systems import load_system
from pipeline.rarr.types import Document, Passage, Report, Revision, RevisionFailed

MADE_UP = ("Ada Hart opened the mill in 1852.", "The mill was opened by Bela Moss in 1853.")
"""Evidence and a sentence that no model scores without reading them: one way to have it load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one passage: the revision, its figures, and what it cost."""

    revision: Revision
    scores: Scores
    usage: Usage
    calls: tuple[Call, ...] = ()
    """Every call of a language model that it took, known answers too."""
    answer: Answer | None = None
    """What a strategy wrote; then the revision's passage is its text, and A what it may cite."""
    answer_scores: AnswerScores | None = None
    """ALCE's figures of an answer that cites."""


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
        """Research, revise and score one passage; `on_progress` is told how far that has come.

        `work` is this passage's alone. Without one nothing is cached, and nothing limited.

        `sources` are the passage's own, which the search `sources` looks at and no other does.
        Raises `NoOwnSources` where it would look and there are none, `RevisionFailed` where a reply
        that the revision rests on could not be read, `UnreadableReply` for one of the scoring
        models, `RefusedPrompt` where the model refuses a prompt, `TransientError` for what another
        try may cure, `BudgetSpent` where the run may spend nothing more, `BadConfig` for what no
        try will cure, the search's own error, and `ValueError` for a system whose revision is not
        of the passage (`Revision.is_consistent_with`).
        """
        system = load_system(self.config.system)
        if not sources and self.config.searches_own_sources:
            raise NoOwnSources(
                "The passage came without the text of any source, and nothing else is searched "
                "(search=sources). Import it with its sources, or search a corpus."
            )
        work = work or WorkContext()
        bound = self._for_work(work)
        with measured(work.calls) as cost:
            components = replace(bound._components(sources), on_progress=on_progress)
            revision = system(passage, components=components, config=self._rarr(sources))
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
        self,
        question: Question,
        *,
        gold: Mapping[str, Any] | None = None,
        work: WorkContext | None = None,
    ) -> Outcome:
        """Answer a question with citations, by the strategy that is the system.

        `gold` has ALCE's fields that say what is right, among any others; the answer is scored by
        them and the strategy does not see them.

        Raises `UnreadableReply` where a reply that the answer rests on could not be read, and
        else what `revise` raises.
        """
        revised: list[Revision] = []
        work = work or WorkContext()
        with measured(work.calls) as cost:
            answer = self.write_answer(question, note=revised.append, work=work)
            passage = Passage(id=question.id, text=answer.text, context=question.text)
            revision = Revision(
                passage=passage,
                text=answer.text,
                report=Report(evidence=answer.sources),
                skipped_pages=tuple(work.skipped_pages.values()),
            )
            item = alce_answer(
                question=question.text,
                output=answer.text,
                sources=answer.sources,
                source=gold or {},
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
        note: Callable[[Revision], None] = lambda revision: None,
        work: WorkContext | None = None,
    ) -> Answer:
        """As `answer`, without scoring what was written.

        `note` is told of a revision that the strategy asked for. What the language model said is
        forgotten where it could not be read: whoever tries again asks again.
        """
        work = work or WorkContext()
        tools = self._for_work(work)._tools(question, note, work)
        try:
            answer = load_strategy(self.config.system)(question, tools=tools)
        except UnreadableReply:
            tools.forget()
            raise
        found = check_format(answer.text, sources=len(answer.sources))
        problems = tuple(dict.fromkeys([*answer.record.problems, *found]))
        return replace(answer, record=replace(answer.record, problems=problems))

    def load_scorer(self) -> None:
        """Load the model of auto-AIS ahead of its first use, where it is one of this machine's.

        Raises what its first use would.
        """
        if not is_judge(self.config.entailment):
            self.entailment.score([MADE_UP])

    def _for_work(self, work: WorkContext) -> Self:
        """The same models and search, as they serve the work."""
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

    def _outcome(self, cost: Cost, counted: Usage, **found: Any) -> Outcome:
        return Outcome(
            usage=cost.usage(counted, is_asking=self.config.asks_language_model),
            calls=tuple(cost.calls),
            **found,
        )

    def _components(self, sources: Sequence[Document]) -> Components:
        if self.config.search != SOURCES:
            return self.components
        domains = Domains.read(
            excluded=self.config.domains_excluded, allowed=self.config.domains_allowed
        )
        permitted = tuple(each for each in sources if domains.permits(each.url))
        return replace(self.components, retriever=OwnSources(documents=permitted))

    def _rarr(self, sources: Sequence[Document]) -> RarrConfig:
        """K is how many documents of a large search are read; of a passage's own none is cut."""
        config = self.config.rarr
        if self.config.search != SOURCES:
            return config
        return replace(config, documents_per_query=max(config.documents_per_query, len(sources)))

    def _tools(
        self, question: Question, note: Callable[[Revision], None], work: WorkContext
    ) -> Tools:
        documents = [
            Document(id=str(place), title=each.title, url=each.url, text=each.text)
            for place, each in enumerate(question.sources, start=1)
        ]
        is_searching = self.config.search != SOURCES and self.config.system not in WITHOUT_SEARCH
        components = self._components(documents)
        rarr = load_system("rarr")
        asks = is_language_model(self.config.llm)

        def revise(passage: Passage) -> Revision:
            revision = rarr(passage, components=components, config=self._rarr(documents))
            note(revision)
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
