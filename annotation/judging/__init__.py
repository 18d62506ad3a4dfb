"""A rater's work: claim an item, show it, record its answers, submit or skip it."""
