"""Backups: creation, verification and restoration; transfer to another database."""
