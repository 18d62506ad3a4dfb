"""A campaign is over several runs: here the tables and columns, filled by the next one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0014_index_a_rater_s_own"),
        ("pipeline", "0004_restrictive_attribution"),
    ]

    operations = [
        migrations.CreateModel(
            name="CampaignRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="run_links",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="campaign_links",
                        to="pipeline.run",
                    ),
                ),
                ("judgeable_count", models.PositiveIntegerField(null=True)),
                ("passage_count", models.PositiveIntegerField(default=0)),
                ("item_count", models.PositiveIntegerField(default=0)),
            ],
            options={"ordering": ["pk"]},
        ),
        migrations.AddConstraint(
            model_name="campaignrun",
            constraint=models.UniqueConstraint(
                fields=("campaign", "run"), name="annotation_campaign_run_once"
            ),
        ),
        # Until the last of the three: so that the way back can fill it before it must be filled.
        migrations.AlterField(
            model_name="campaign",
            name="run",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="pipeline.run",
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="runs",
            field=models.ManyToManyField(
                related_name="campaigns", through="annotation.CampaignRun", to="pipeline.run"
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="allocation",
            field=models.CharField(
                choices=[
                    ("proportional", "each run by its share, at least one"),
                    ("equal", "as many from each run"),
                ],
                default="proportional",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="closed_in",
            field=models.CharField(
                blank=True,
                choices=[
                    ("draft", "draft"),
                    ("pilot", "pilot"),
                    ("production", "production"),
                    ("closed", "closed"),
                ],
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="campaign",
            name="passage_count",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="campaign",
            name="items_per_passage",
            field=models.PositiveSmallIntegerField(default=1),
        ),
        migrations.AddField(
            model_name="item",
            name="passage",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="items",
                to="pipeline.passage",
            ),
        ),
    ]
