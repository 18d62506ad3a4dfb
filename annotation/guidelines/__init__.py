"""Instructions for raters, in versions."""
