from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0020_remove_sign_of_a_worker")]

    operations = [migrations.DeleteModel(name="SimilarityJob")]
