"""Single passages that somebody tries, with no dataset and no run."""
