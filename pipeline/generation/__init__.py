"""Answers that cite sources: ALCE's strategies, HAGRID's, and RARR after a closed book."""
