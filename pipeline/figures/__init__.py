"""A run's results, comparison, costs and progress."""
