"""A small trained encoder for verdicts and answers; see `research/` and the model card."""
