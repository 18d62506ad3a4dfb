"""A campaign with a crowd platform, and its participants."""

from typing import Any
from urllib.parse import urlencode

from django.test import Client

from annotation.models import Assignment, Campaign, Crowd, Participant
from tests.support.reference_answers import judge_next

PROLIFIC = "5f1a9c2e8b3d4a0012345678"
SESSION = "64b7d1f0aa11bb22cc33dd44"
STUDY = "60aa00bb11cc22dd33ee44ff"


def make_crowd(campaign: Campaign, **values: Any) -> Crowd:
    return Crowd.objects.create(
        **{
            "campaign": campaign,
            "key": f"key-of-{campaign.slug}",
            "quota": 2,
            "completion_code": "C0MPL3TE",
            "returned_code": "R3TURNED",
            "screened_out_code": "SCR33NED",
            "back_url": "https://platform.example/submissions/complete?cc={code}",
            **values,
        }
    )


def entry(crowd: Crowd, participant: str = PROLIFIC, session: str = SESSION) -> str:
    ids = {"PROLIFIC_PID": participant, "STUDY_ID": STUDY, "SESSION_ID": session}
    return f"/enter/{crowd.key}/?{urlencode(ids)}"


def enter(crowd: Crowd, participant: str = PROLIFIC, session: str = SESSION) -> Client:
    browser = Client()
    response = browser.post(entry(crowd, participant, session))
    assert response.status_code == 302, response.content.decode()
    assert response.headers["Location"] == "/study/"
    return browser


def participant_named(crowd: Crowd, platform_id: str = PROLIFIC) -> Participant:
    return Participant.objects.get(crowd=crowd, identity__platform_id=platform_id)


def judge_one(participant: Participant) -> Assignment:
    return judge_next(participant.user, participant.crowd.campaign, (1, 1, 1))


def finish(crowd: Crowd, platform_id: str = PROLIFIC) -> Participant:
    participant = participant_named(crowd, platform_id)
    for _ in range(crowd.quota):
        judge_one(participant)
    return participant
