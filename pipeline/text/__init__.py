"""Sentences and windows of a text. Pure: no network, no model."""
