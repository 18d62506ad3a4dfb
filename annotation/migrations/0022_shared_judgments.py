import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_skip_reasons_of_the_paper")]

    operations = [
        migrations.RemoveConstraint("item", "annotation_item_wanted"),
        migrations.AddField("campaign", "shared_count", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "item",
            "shared_with",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="sharing",
                to="annotation.item",
            ),
        ),
        migrations.AddConstraint(
            "item",
            models.CheckConstraint(
                condition=Q(wanted__gte=1) | ~Q(use="") | Q(shared_with__isnull=False),
                name="annotation_item_wanted",
            ),
        ),
    ]
