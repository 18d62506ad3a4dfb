"""Answers that cite their sources: ALCE's strategies, HAGRID's, and RARR behind a closed book."""
