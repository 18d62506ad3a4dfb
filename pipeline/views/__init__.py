"""The pipeline pages: one file a subject."""
