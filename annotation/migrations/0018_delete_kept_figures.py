from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("annotation", "0017_one_invitation")]

    operations = [migrations.DeleteModel("KeptFigure")]
