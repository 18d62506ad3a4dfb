"""The life of a run: start, execution, budget, scoring."""
