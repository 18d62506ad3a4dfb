"""The annotation pages: one file a subject."""
