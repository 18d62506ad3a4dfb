from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0023_instructions_read")]

    operations = [
        migrations.RemoveField("campaign", "sampling"),
        migrations.RemoveField("campaign", "allocation"),
        migrations.AlterField("campaign", "may_repeat_passages", models.BooleanField(default=True)),
    ]
