"""An invitation may let a person into several campaigns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_archived_and_listed")]

    operations = [
        migrations.AddField(
            model_name="campaigninvitation",
            name="also",
            field=models.ManyToManyField(blank=True, related_name="+", to="annotation.campaign"),
        ),
    ]
