"""The tables of people's work, as they were on 22 November 2026."""

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("annotation", "0001_initial"),
        ("annotation", "0002_levels_texts_and_pairs"),
        ("annotation", "0003_adjudication"),
        ("annotation", "0004_skips_releases_and_time_on_task"),
        ("annotation", "0005_options_of_a_questionnaire"),
        ("annotation", "0006_consent_crowds_and_shared_links"),
        ("annotation", "0007_campaign_life"),
        ("annotation", "0008_fill_campaign_life"),
        ("annotation", "0009_training_and_gold"),
        ("annotation", "0010_guidelines_and_questions"),
        ("annotation", "0011_first_guidelines"),
        ("annotation", "0012_campaign_of_an_assignment"),
        ("annotation", "0013_fill_campaign_of_an_assignment"),
        ("annotation", "0014_index_a_rater_s_own"),
        ("annotation", "0015_runs_of_a_campaign"),
        ("annotation", "0016_fill_runs_of_a_campaign"),
        ("annotation", "0017_runs_instead_of_one_run"),
    ]

    dependencies = [
        ("pipeline", "0001_squashed_0004_restrictive_attribution"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Campaign",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("questionnaire", models.CharField(default="attribution", max_length=50)),
                ("options", models.JSONField(default=list)),
                (
                    "sides",
                    models.CharField(
                        choices=[
                            ("both", "before and after"),
                            ("before", "before: the original passages"),
                            ("after", "after: the revisions"),
                            ("pair", "both together, side by side"),
                        ],
                        default="after",
                        max_length=10,
                    ),
                ),
                ("raters_per_item", models.PositiveSmallIntegerField(default=1)),
                ("most_raters", models.PositiveSmallIntegerField(null=True)),
                ("pilot_size", models.PositiveIntegerField(default=0)),
                ("pilot_raters", models.PositiveSmallIntegerField(default=3)),
                (
                    "sampling",
                    models.CharField(
                        choices=[
                            ("all", "all passages"),
                            ("random", "passages drawn at random"),
                            ("uncertain", "passages that auto-AIS is unsure of, drawn more often"),
                        ],
                        default="all",
                        max_length=10,
                    ),
                ),
                ("sample_size", models.PositiveIntegerField(null=True)),
                (
                    "allocation",
                    models.CharField(
                        choices=[
                            ("proportional", "each run by its share, at least one"),
                            ("equal", "as many from each run"),
                        ],
                        default="proportional",
                        max_length=12,
                    ),
                ),
                ("seed", models.CharField(blank=True, max_length=100)),
                ("may_repeat_passages", models.BooleanField(default=False)),
                ("leaves_out_copied", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("pilot", "pilot"),
                            ("production", "production"),
                            ("closed", "closed"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                (
                    "closed_in",
                    models.CharField(
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("item_count", models.PositiveIntegerField(default=0)),
                ("passage_count", models.PositiveIntegerField(default=0)),
                ("items_per_passage", models.PositiveSmallIntegerField(default=1)),
                ("guidelines_version", models.PositiveIntegerField(default=0)),
                (
                    "copied_from",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="copies",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="CampaignInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("note", models.CharField(blank=True, help_text="For whom it is.", max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("adjudicator", "adjudicator")],
                        default="annotator",
                        max_length=20,
                    ),
                ),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="CampaignRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("judgeable_count", models.PositiveIntegerField(null=True)),
                ("passage_count", models.PositiveIntegerField(default=0)),
                ("item_count", models.PositiveIntegerField(default=0)),
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
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="campaign",
            name="runs",
            field=models.ManyToManyField(
                related_name="campaigns", through="annotation.CampaignRun", to="pipeline.run"
            ),
        ),
        migrations.CreateModel(
            name="CheckSettings",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pass_percent",
                    models.PositiveSmallIntegerField(
                        default=80,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                    ),
                ),
                (
                    "tries",
                    models.PositiveSmallIntegerField(
                        default=3, validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                (
                    "gold_every",
                    models.PositiveSmallIntegerField(
                        default=10, validators=[django.core.validators.MinValueValidator(2)]
                    ),
                ),
                (
                    "pause_percent",
                    models.PositiveSmallIntegerField(
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100),
                        ],
                    ),
                ),
                (
                    "pause_targets",
                    models.PositiveSmallIntegerField(
                        default=20, validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="checks",
                        to="annotation.campaign",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ConsentText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True)),
                (
                    "withdrawal",
                    models.CharField(
                        choices=[
                            ("delete", "everything that they judged is deleted"),
                            ("keep", "what they handed in is kept under its pseudonym"),
                        ],
                        default="delete",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consent_texts",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "version"],
            },
        ),
        migrations.CreateModel(
            name="ConsentAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "answer",
                    models.CharField(
                        choices=[
                            ("agreed", "agreed"),
                            ("declined", "did not agree"),
                            ("withdrawn", "took the consent back"),
                        ],
                        max_length=10,
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="consent_answers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "text",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="answers",
                        to="annotation.consenttext",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Crowd",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("is_open", models.BooleanField(default=True)),
                ("participant_parameter", models.CharField(default="PROLIFIC_PID", max_length=50)),
                (
                    "study_parameter",
                    models.CharField(blank=True, default="STUDY_ID", max_length=50),
                ),
                (
                    "session_parameter",
                    models.CharField(blank=True, default="SESSION_ID", max_length=50),
                ),
                ("quota", models.PositiveIntegerField(default=10)),
                ("places", models.PositiveIntegerField(null=True)),
                ("minutes", models.PositiveIntegerField(default=60)),
                ("completion_code", models.CharField(blank=True, max_length=100)),
                ("returned_code", models.CharField(blank=True, max_length=100)),
                ("screened_out_code", models.CharField(blank=True, max_length=100)),
                ("back_url", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="crowd",
                        to="annotation.campaign",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="EntryAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address_hash", models.CharField(max_length=64)),
                ("at", models.DateTimeField(db_index=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["address_hash", "at"], name="annotation_entry_by_address")
                ],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("note", models.CharField(blank=True, max_length=500)),
                ("created_at", models.DateTimeField()),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="guidelines_versions",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "number"],
            },
        ),
        migrations.CreateModel(
            name="GuidelinesReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read_at", models.DateTimeField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="annotation.guidelinesversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "read_at"],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "side",
                    models.CharField(
                        choices=[("before", "before"), ("after", "after"), ("pair", "pair")],
                        max_length=10,
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("context", models.TextField(blank=True)),
                ("text", models.TextField()),
                ("sentences", models.JSONField()),
                ("evidence", models.JSONField()),
                ("citations", models.JSONField(default=list)),
                ("second_text", models.TextField(blank=True)),
                ("second_sentences", models.JSONField(default=list)),
                ("first_side", models.CharField(blank=True, max_length=10)),
                (
                    "phase",
                    models.CharField(
                        choices=[("pilot", "pilot"), ("production", "production")],
                        default="production",
                        max_length=10,
                    ),
                ),
                ("inclusion", models.FloatField(default=1.0)),
                ("wanted", models.PositiveSmallIntegerField(default=1)),
                ("done", models.PositiveSmallIntegerField(default=0)),
                (
                    "use",
                    models.CharField(
                        blank=True,
                        choices=[("training", "training"), ("gold", "gold")],
                        max_length=10,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="items",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "passage",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="pipeline.passage",
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="pipeline.revision",
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "position"],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.PositiveSmallIntegerField(null=True)),
                ("claimed_at", models.DateTimeField()),
                ("lease_until", models.DateTimeField()),
                ("submitted_at", models.DateTimeField(null=True)),
                ("is_late", models.BooleanField(default=False)),
                (
                    "purpose",
                    models.CharField(
                        blank=True,
                        choices=[("training", "training"), ("gold", "gold")],
                        max_length=10,
                    ),
                ),
                ("comment", models.TextField(blank=True)),
                ("comment_sequence", models.BigIntegerField(default=0)),
                ("edited_at", models.DateTimeField(null=True)),
                ("skipped_at", models.DateTimeField(null=True)),
                (
                    "skip_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("unclear", "I do not understand the passage"),
                            ("evidence", "The evidence is broken or missing"),
                            ("language", "It is in a language that I do not read well"),
                            ("upsetting", "I would rather not read this"),
                            ("known", "I know the text or who wrote it"),
                            ("other", "Something else"),
                        ],
                        max_length=30,
                    ),
                ),
                ("skip_note", models.TextField(blank=True)),
                ("released_at", models.DateTimeField(null=True)),
                ("returned_at", models.DateTimeField(null=True)),
                ("return_note", models.TextField(blank=True)),
                ("returned_from", models.DateTimeField(null=True)),
                ("active_ms", models.PositiveBigIntegerField(default=0)),
                ("idle_ms", models.PositiveBigIntegerField(default=0)),
                ("clicks", models.PositiveIntegerField(default=0)),
                ("keys", models.PositiveIntegerField(default=0)),
                ("visits", models.JSONField(default=dict)),
                ("desk", models.UUIDField(null=True)),
                ("desk_at", models.DateTimeField(null=True)),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assignments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "released_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "returned_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["claimed_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Adjudication",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=30)),
                ("target", models.PositiveIntegerField()),
                ("value", models.IntegerField()),
                ("reason", models.TextField()),
                ("updated_at", models.DateTimeField()),
                (
                    "adjudicator",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="adjudications",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="adjudications",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["item", "criterion", "target"],
            },
        ),
        migrations.CreateModel(
            name="Judgment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=30)),
                ("target", models.PositiveIntegerField()),
                ("value", models.IntegerField(null=True)),
                ("text", models.TextField(blank=True)),
                ("sequence", models.BigIntegerField(default=0)),
                ("guidelines_version", models.PositiveIntegerField(null=True)),
                ("updated_at", models.DateTimeField()),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="judgments",
                        to="annotation.assignment",
                    ),
                ),
            ],
            options={
                "ordering": ["assignment", "criterion", "target"],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("adjudicator", "adjudicator")],
                        default="annotator",
                        max_length=20,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Participant",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("id_hash", models.CharField(max_length=64)),
                ("session_hash", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "working"),
                            ("completed", "completed"),
                            ("returned", "stopped"),
                            ("declined", "did not consent"),
                            ("screened-out", "screened out"),
                        ],
                        default="active",
                        max_length=20,
                    ),
                ),
                ("entered_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("code", models.CharField(blank=True, max_length=100)),
                ("entries", models.PositiveIntegerField(default=1)),
                ("sessions", models.PositiveIntegerField(default=1)),
                (
                    "crowd",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participants",
                        to="annotation.crowd",
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="participation",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["entered_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Pause",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField()),
                ("right", models.PositiveIntegerField()),
                ("judged", models.PositiveIntegerField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pauses",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "ended_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pauses",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "rater", "since"],
            },
        ),
        migrations.CreateModel(
            name="PlatformIdentity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("platform_id", models.CharField(max_length=200)),
                ("study_id", models.CharField(blank=True, max_length=200)),
                ("session_id", models.CharField(blank=True, max_length=200)),
                (
                    "participant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="identity",
                        to="annotation.participant",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "platform identities",
            },
        ),
        migrations.CreateModel(
            name="RightAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("criterion", models.CharField(max_length=30)),
                ("target", models.PositiveIntegerField()),
                ("value", models.IntegerField()),
                ("why", models.TextField(blank=True)),
                ("updated_at", models.DateTimeField()),
                (
                    "given_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="right_answers",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["item", "criterion", "target"],
            },
        ),
        migrations.CreateModel(
            name="SharedInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("note", models.CharField(blank=True, help_text="For whom it is.", max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                (
                    "role",
                    models.CharField(
                        choices=[("annotator", "annotator"), ("adjudicator", "adjudicator")],
                        default="annotator",
                        max_length=20,
                    ),
                ),
                ("cap", models.PositiveIntegerField()),
                ("used", models.PositiveIntegerField(default=0)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_invitations",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="SharedInvitationUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="annotation.sharedinvitation",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Thread",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sentence", models.PositiveIntegerField(null=True)),
                ("asked_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("waits", models.BooleanField(default=True)),
                ("closed_at", models.DateTimeField(null=True)),
                ("published_through", models.BigIntegerField(null=True)),
                (
                    "asked_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="threads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="annotation.item",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_askers", models.BooleanField()),
                ("text", models.TextField()),
                ("written_at", models.DateTimeField()),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="annotation.thread",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.AddField(
            model_name="guidelinesversion",
            name="thread",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="examples",
                to="annotation.thread",
            ),
        ),
        migrations.CreateModel(
            name="ThreadReading",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("read_through", models.BigIntegerField()),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="readings",
                        to="annotation.thread",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["thread", "user"],
            },
        ),
        migrations.CreateModel(
            name="TrainingTry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("right", models.PositiveIntegerField(default=0)),
                ("judged", models.PositiveIntegerField(default=0)),
                ("has_passed", models.BooleanField(default=False)),
                ("answers", models.JSONField(default=list)),
                ("let_through_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="training_tries",
                        to="annotation.campaign",
                    ),
                ),
                (
                    "let_through_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="training_tries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "rater", "number"],
            },
        ),
        migrations.AddConstraint(
            model_name="campaignrun",
            constraint=models.UniqueConstraint(
                fields=("campaign", "run"), name="annotation_campaign_run_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("raters_per_item__gte", 1)),
                name="annotation_campaign_has_raters",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("most_raters", None),
                    ("most_raters__gte", models.F("raters_per_item")),
                    _connector="OR",
                ),
                name="annotation_campaign_most_raters",
            ),
        ),
        migrations.AddConstraint(
            model_name="campaign",
            constraint=models.CheckConstraint(
                condition=models.Q(("pilot_raters__gte", 1)),
                name="annotation_campaign_pilot_raters",
            ),
        ),
        migrations.AddConstraint(
            model_name="consenttext",
            constraint=models.UniqueConstraint(
                fields=("campaign", "version"), name="annotation_consent_version_once"
            ),
        ),
        migrations.AddIndex(
            model_name="consentanswer",
            index=models.Index(fields=["text", "rater"], name="annotation_consent_of_rater"),
        ),
        migrations.AddConstraint(
            model_name="crowd",
            constraint=models.CheckConstraint(
                condition=models.Q(("quota__gte", 1)), name="annotation_crowd_has_quota"
            ),
        ),
        migrations.AddConstraint(
            model_name="crowd",
            constraint=models.CheckConstraint(
                condition=models.Q(("places", None), ("places__gte", 1), _connector="OR"),
                name="annotation_crowd_has_places",
            ),
        ),
        migrations.AddConstraint(
            model_name="crowd",
            constraint=models.CheckConstraint(
                condition=models.Q(("minutes__gte", 1)), name="annotation_crowd_has_minutes"
            ),
        ),
        migrations.AddConstraint(
            model_name="guidelinesreading",
            constraint=models.UniqueConstraint(
                fields=("user", "version"), name="annotation_guidelines_read_once"
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("use", ""), _negated=True),
                fields=["campaign", "use", "position"],
                name="annotation_item_in_use",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                condition=models.Q(("done__lt", models.F("wanted"))),
                fields=["campaign", "phase", "position"],
                name="annotation_item_open",
            ),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(fields=["passage", "campaign"], name="annotation_item_of_passage"),
        ),
        migrations.AddIndex(
            model_name="item",
            index=models.Index(
                fields=["campaign", "phase", "wanted", "done"], name="annotation_item_progress"
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(
                fields=("campaign", "revision", "side"), name="annotation_item_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.UniqueConstraint(
                fields=("campaign", "position"), name="annotation_item_position"
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(("inclusion__gt", 0), ("inclusion__lte", 1)),
                name="annotation_item_inclusion",
            ),
        ),
        migrations.AddConstraint(
            model_name="item",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("wanted__gte", 1), models.Q(("use", ""), _negated=True), _connector="OR"
                ),
                name="annotation_item_wanted",
            ),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(fields=["rater", "submitted_at"], name="annotation_own_queue"),
        ),
        migrations.AddIndex(
            model_name="assignment",
            index=models.Index(
                fields=["campaign", "rater", "id", "purpose", "submitted_at"],
                name="annotation_own_place",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("item", "rater"), name="annotation_assignment_once_a_rater"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.UniqueConstraint(
                fields=("item", "slot"), name="annotation_assignment_once_a_slot"
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("slot", None), ("slot__gte", 1), _connector="OR"),
                name="annotation_assignment_slot_from_1",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("slot", None),
                    models.Q(("released_at", None), ("skipped_at", None)),
                    _connector="OR",
                ),
                name="annotation_assignment_given_up_holds_no_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="assignment",
            constraint=models.CheckConstraint(
                condition=models.Q(("slot", None), ("purpose", ""), _connector="OR"),
                name="annotation_assignment_check_holds_no_slot",
            ),
        ),
        migrations.AddConstraint(
            model_name="adjudication",
            constraint=models.UniqueConstraint(
                fields=("item", "criterion", "target"), name="annotation_adjudication_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="judgment",
            constraint=models.UniqueConstraint(
                fields=("assignment", "criterion", "target"), name="annotation_judgment_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(
                fields=("campaign", "user", "role"), name="annotation_membership_once"
            ),
        ),
        migrations.AddIndex(
            model_name="participant",
            index=models.Index(fields=["crowd", "state"], name="annotation_crowd_states"),
        ),
        migrations.AddConstraint(
            model_name="participant",
            constraint=models.UniqueConstraint(
                fields=("crowd", "id_hash"), name="annotation_participant_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="pause",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at", None)),
                fields=("campaign", "rater"),
                name="annotation_pause_one_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="rightanswer",
            constraint=models.UniqueConstraint(
                fields=("item", "criterion", "target"), name="annotation_right_answer_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedinvitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("used__lte", models.F("cap"))),
                name="annotation_shared_link_within_cap",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharedinvitationuse",
            constraint=models.UniqueConstraint(
                fields=("invitation", "user"), name="annotation_shared_link_once_a_person"
            ),
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(fields=["campaign", "-last_at"], name="annotation_thread_newest"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["author", "written_at"], name="annotation_message_pace"),
        ),
        migrations.AddConstraint(
            model_name="guidelinesversion",
            constraint=models.UniqueConstraint(
                fields=("campaign", "number"), name="annotation_guidelines_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="guidelinesversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="annotation_guidelines_from_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="threadreading",
            constraint=models.UniqueConstraint(
                fields=("user", "thread"), name="annotation_thread_read_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="trainingtry",
            constraint=models.UniqueConstraint(
                fields=("campaign", "rater", "number"), name="annotation_training_try_once"
            ),
        ),
    ]
