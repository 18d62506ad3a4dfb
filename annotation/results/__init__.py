"""From answers to estimates: tallies, attribution, each questionnaire's figures, reliability."""
