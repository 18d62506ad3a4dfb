"""Files in, files out: what commands need that use no database."""
