"""Readers of imported files."""
