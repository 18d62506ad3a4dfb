"""Who takes part in a campaign, and on which terms."""
