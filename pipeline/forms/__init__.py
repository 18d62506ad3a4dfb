"""Forms of the pipeline pages, one file a subject."""
