"""An account remembers how often it was shut, so that sessions from before do not come back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="times_shut",
            field=models.PositiveIntegerField(default=0, editable=False),
        )
    ]
