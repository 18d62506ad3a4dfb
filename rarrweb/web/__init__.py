"""Helpers that every app may use, and that import none of them."""
