"""Raters of campaigns."""
