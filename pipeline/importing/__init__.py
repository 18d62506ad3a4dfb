"""From a file to typed passages: one file a format."""
