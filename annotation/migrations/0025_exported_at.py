from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0024_sample_per_run")]

    operations = [
        migrations.AddField("campaign", "exported_at", models.DateTimeField(null=True)),
    ]
