from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_username_key"),
    ]

    operations = [
        migrations.DeleteModel(name="AuditEvent"),
    ]
