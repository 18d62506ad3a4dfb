from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0018_replies_of_runs")]

    operations = [migrations.DeleteModel(name="SimilarityJob")]
