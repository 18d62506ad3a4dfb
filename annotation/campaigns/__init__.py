"""The life of a campaign, from its form to its end."""
