"""The data and words of a campaign's charts."""
