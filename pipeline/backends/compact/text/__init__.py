"""Words, numbers, dates, names and spans of a text."""
