from django.conf import settings
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("annotation", "0019_delete_kept_figures")]

    operations = [
        migrations.RemoveConstraint("campaign", "annotation_campaign_most_raters"),
        migrations.RenameField("campaign", "most_raters", "max_raters"),
        migrations.AddConstraint(
            "campaign",
            models.CheckConstraint(
                condition=Q(max_raters=None) | Q(max_raters__gte=F("raters_per_item")),
                name="annotation_campaign_max_raters",
            ),
        ),
        migrations.RenameField("campaign", "leaves_out_problems", "excluded_problems"),
        migrations.RenameField("campaign", "left_out", "excluded"),
        migrations.RenameField("campaign", "leaves_out_copied", "excludes_copied"),
        migrations.RenameField("campaigninvitation", "also", "other_campaigns"),
        migrations.RenameField("assignment", "returned_from", "earlier_submitted_at"),
        migrations.RenameIndex(
            "assignment", "annotation_rater_queue", old_name="annotation_own_queue"
        ),
        migrations.RenameIndex(
            "assignment", "annotation_rater_position", old_name="annotation_own_place"
        ),
        migrations.RemoveIndex("raterquestion", "annotation_question_pace"),
        migrations.RenameField("raterquestion", "asked_by", "rater"),
        migrations.RenameField("raterquestion", "asked_at", "created_at"),
        migrations.AddIndex(
            "raterquestion",
            models.Index(fields=["rater", "created_at"], name="annotation_question_pace"),
        ),
        migrations.RemoveConstraint("rightanswer", "annotation_right_answer_once"),
        migrations.RenameModel("RightAnswer", "ReferenceAnswer"),
        migrations.AlterField(
            "referenceanswer",
            "item",
            models.ForeignKey(
                on_delete=models.CASCADE, related_name="reference_answers", to="annotation.item"
            ),
        ),
        migrations.AddConstraint(
            "referenceanswer",
            models.UniqueConstraint(
                fields=["item", "criterion", "target"], name="annotation_reference_answer_once"
            ),
        ),
        migrations.RenameField("checksettings", "tries", "attempts"),
        migrations.RemoveConstraint("trainingtry", "annotation_training_try_once"),
        migrations.RenameModel("TrainingTry", "TrainingAttempt"),
        migrations.AddConstraint(
            "trainingattempt",
            models.UniqueConstraint(
                fields=["campaign", "rater", "number"], name="annotation_training_attempt_once"
            ),
        ),
        migrations.AlterField(
            "trainingattempt",
            "campaign",
            models.ForeignKey(
                on_delete=models.CASCADE,
                related_name="training_attempts",
                to="annotation.campaign",
            ),
        ),
        migrations.AlterField(
            "trainingattempt",
            "rater",
            models.ForeignKey(
                on_delete=models.CASCADE,
                related_name="training_attempts",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RenameField("trainingattempt", "let_through_at", "waived_at"),
        migrations.RenameField("trainingattempt", "let_through_by", "waived_by"),
        migrations.AlterField(
            model_name="consenttext",
            name="withdrawal",
            field=models.CharField(
                choices=[
                    ("delete", "everything that they judged is deleted"),
                    ("keep", "what they submitted is kept under its pseudonym"),
                ],
                default="delete",
                max_length=10,
            ),
        ),
    ]
