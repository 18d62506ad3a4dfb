"""A campaign may follow another one, passage by passage."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0004_invitation_into_several")]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="follows",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="followers",
                to="annotation.campaign",
            ),
        ),
    ]
