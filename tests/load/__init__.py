"""Load tests with simulated raters, run as commands."""
