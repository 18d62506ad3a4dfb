"""Load: simulated raters against the product's own server. Commands, not tests."""
