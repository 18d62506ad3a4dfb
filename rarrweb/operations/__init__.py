"""Operation of the site: serving, health, metrics, backups, doctor."""
