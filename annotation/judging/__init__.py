"""A rater's work: claim an item, show it, record its answers, hand it in or back."""
