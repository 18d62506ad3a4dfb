"""From answers to estimates: tallies, attribution, figures, reliability."""
