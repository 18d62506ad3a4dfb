"""Statistics of a campaign that judges answers, as of a dataset of labelled answers."""

from annotation.exporting.context import ExportContext
from annotation.exporting.item_reader import read_items
from annotation.exporting.judged_items import JudgedItem
from annotation.models import Campaign
from annotation.results.cached_figures import Figures
from annotation.results.labels import OF_ANSWER
from pipeline.importing.hagrid import line_key
from pipeline.metrics.answer_statistics import LABELS, LabelledAnswer, LabelledSentence
from pipeline.views.dataset_statistics import Statistics


def campaign_statistics(campaign: Campaign, figures: Figures) -> Statistics | None:
    """Compute them; None if they are missing."""
    return figures.of(_statistics, campaign)


def _statistics(campaign: Campaign) -> Statistics:
    return Statistics.of(answers_of(campaign))


def answers_of(campaign: Campaign) -> list[LabelledAnswer]:
    """An answer for each item, by run and side, with the raters' labels."""
    return [
        _answer(item).lean
        for item in read_items(ExportContext(campaign=campaign), with_import=True)
    ]


def _answer(item: JudgedItem) -> LabelledAnswer:
    cited: list[list[int]] = [[] for _ in item.sentences]
    for citation in item.citations:
        cited[citation["sentence"]].append(citation["evidence"])
    labels = [
        {name: item.answers(name, number).label for name in LABELS}
        for number in range(len(item.sentences))
    ]
    return LabelledAnswer(
        id=item.passage_id,
        question=f"{item.dataset}/{line_key(item.passage_id, item.passage_format)}",
        text=item.text,
        quotes=tuple(str(each["text"]) for each in item.evidence),
        cited=tuple(dict.fromkeys(position for each in cited for position in each)),
        labels={name: OF_ANSWER[name]([each[name] for each in labels]) for name in LABELS},
        sentences=tuple(
            LabelledSentence(text=text, labels=of_one, cited=tuple(places))
            for text, of_one, places in zip(item.sentences, labels, cited, strict=True)
        ),
        group=f"{item.system}, run {item.run}, {item.side}",
    )
