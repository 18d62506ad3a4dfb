"""A campaign "answer quality" with two answers that a rater has judged."""

from annotation.models import Campaign, Judgment
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
    for sentences in ANSWERS:
        item = exports.make_item(
            campaign,
            *(text for text, *_ in sentences),
            evidence=EVIDENCE,
            citations=[
                {"sentence": place, "evidence": int("[2]" in text)}
                for place, (text, *_) in enumerate(sentences)
            ],
        )
        judged = exports.judge(item, rater, *(bool(each[2]) for each in sentences))
        for target, (_, informative, _) in enumerate(sentences):
            Judgment.objects.create(
                assignment=judged, criterion="informative", target=target, value=informative,
                updated_at=exports.NOW,
            )  # fmt: skip
    return campaign
