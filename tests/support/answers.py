"""A campaign on answer quality with two judged answers."""

from annotation.models import Campaign
from tests.support import exports
from tests.support.factories import make_user

EVIDENCE = [
    {"title": "a", "url": "", "text": "The bridge opened in 1932, they say.", "number": 1},
    {"title": "b", "url": "", "text": "It carries two railway lines across.", "number": 2},
]
ANSWERS = (
    (("The bridge opened in 1932 [1].", 1, 1), ("It carries two railway [2].", 0, 1)),
    (("Nobody knows [2].", 0, 0),),
)
"""The sentences of each, with what the rater says: informative, attributable."""


def judged_answers(**values: object) -> Campaign:
    campaign = exports.make_campaign(questionnaire="answer_quality", sides="after", **values)
    rater = make_user()
    for answer in ANSWERS:
        texts, informative, attributable = zip(*answer, strict=True)
        citations = [
            {"sentence": position, "evidence": int("[2]" in text)}
            for position, text in enumerate(texts)
        ]
        item = exports.make_item(campaign, *texts, evidence=EVIDENCE, citations=citations)
        exports.judge(item, rater, *attributable, informative=informative)
    return campaign
