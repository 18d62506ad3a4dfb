import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0016_remove_places_and_browser_binding"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.DeleteModel(name="SharedInvitationUse"),
        migrations.DeleteModel(name="SharedInvitation"),
        migrations.AlterModelOptions(
            name="campaigninvitation",
            options={"ordering": ["-created_at", "-pk"]},
        ),
        migrations.RemoveField(
            model_name="campaigninvitation",
            name="email",
        ),
        migrations.AddField(
            model_name="campaigninvitation",
            name="max_uses",
            field=models.PositiveIntegerField(default=1),
        ),
        migrations.CreateModel(
            name="InvitationUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="annotation.campaigninvitation",
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
        migrations.AddConstraint(
            model_name="invitationuse",
            constraint=models.UniqueConstraint(
                fields=("invitation", "user"), name="annotation_invitation_use_once"
            ),
        ),
    ]
