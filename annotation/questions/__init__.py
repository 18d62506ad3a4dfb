"""Raters' questions to the researchers, and their answers."""
