"""Copies of an installation: made while it runs, verified, put back, moved to another database."""
