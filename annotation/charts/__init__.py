"""What a campaign's charts draw, and in which words."""
