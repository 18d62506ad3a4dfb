"""Campaigns that have begun get version 1 of their instructions: the text that raters have had."""

from pathlib import Path

from django.db import migrations

# A copy of what each questionnaire and option names, so that this goes on to work as it did.
FOLDER = Path(__file__).parent.parent / "questionnaires" / "guidelines"
OPTIONS = {
    ("attribution", "partly"): "attribution_partly.md",
    ("attribution", "two_stages"): "attribution_two_stages.md",
}


def text_of(campaign):
    names = [f"{campaign.questionnaire}.md"]
    names += [
        name
        for (questionnaire, option), name in OPTIONS.items()
        if questionnaire == campaign.questionnaire and option in campaign.options
    ]
    files = [FOLDER / name for name in names]
    return "\n\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


def fill(apps, schema_editor):
    Version = apps.get_model("annotation", "GuidelinesVersion")
    campaigns = apps.get_model("annotation", "Campaign").objects.exclude(state="draft")
    for campaign in list(campaigns.filter(guidelines_version=0)):
        Version.objects.get_or_create(
            campaign=campaign,
            number=1,
            defaults={"text": text_of(campaign).strip(), "created_at": campaign.created_at},
        )
        campaign.guidelines_version = 1
        campaign.save(update_fields=["guidelines_version"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0010_guidelines_and_questions")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
