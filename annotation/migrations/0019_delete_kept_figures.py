from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotation", "0018_remove_export_jobs")]

    operations = [migrations.DeleteModel("KeptFigure")]
