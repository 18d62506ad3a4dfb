"""Names, and values in texts."""
