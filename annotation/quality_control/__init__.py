"""Training raters and checking them against reference answers."""
