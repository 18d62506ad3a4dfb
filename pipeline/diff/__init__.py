"""Differences between texts, for people to read."""
