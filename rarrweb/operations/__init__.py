"""Running the site: serving, health, metrics, backups, doctor, with their commands."""
