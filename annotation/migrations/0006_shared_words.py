"""Whether a rater had the words marked that the evidence shares with a sentence."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0005_campaign_follows")]

    operations = [
        migrations.AddField(
            model_name="assignment", name="shared_words", field=models.BooleanField(default=False)
        ),
    ]
